// Kernel values of one set of rows against itself, on demand.
//
// Four verbs: diagonal, row (cached by segments), block and the fused product that stores nothing.
// One Gram may serve several problems, also from several threads at once.
#pragma once

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/arena.hpp"
#include "core/base/threads.hpp"
#include "core/gram/cache.hpp"
#include "core/gram/kernel.hpp"

namespace mercer {

// Called between pieces of long work; false (or an exception) ends it.
using Poll = std::function<bool()>;

template <class T>
class Gram;

// A segment of a kernel row, held in the cache while this lives.
template <class T>
class RowSegment {
  public:
    RowSegment() = default;
    RowSegment(Gram<T>* gram, typename SegmentCache<T>::Entry* entry, bool computed)
        : gram_(gram), entry_(entry), computed_(computed) {}
    RowSegment(RowSegment&& other) noexcept { swap(other); }
    RowSegment& operator=(RowSegment&& other) noexcept {
        swap(other);
        return *this;
    }
    ~RowSegment();

    explicit operator bool() const { return entry_ != nullptr; }
    const T* values() const {
        assert(entry_);
        return entry_->values.data();
    }
    std::size_t length() const { return entry_->length; }
    // Whether the values had to be computed; false if the cache had them.
    bool was_computed() const { return computed_; }

  private:
    void swap(RowSegment& other) {
        std::swap(gram_, other.gram_);
        std::swap(entry_, other.entry_);
        std::swap(computed_, other.computed_);
    }
    Gram<T>* gram_ = nullptr;
    typename SegmentCache<T>::Entry* entry_ = nullptr;
    bool computed_ = false;
};

template <class T>
class Gram {
  public:
    // `segments`: ascending offsets 0, ..., n that cut the columns into segments.
    // requires: kernel has the same rows on both sides; at most 65535 segments
    Gram(KernelPointer<T> kernel, std::vector<std::size_t> segments, std::size_t cache_bytes,
         std::size_t n_threads);

    std::size_t size() const { return kernel_->n_left(); }
    const std::vector<std::size_t>& segments() const { return segments_; }
    const std::vector<double>& diagonal() const { return diagonal_; }
    const Kernel<T>& kernel() const { return *kernel_; }
    // Memory for solves on this Gram.
    Arena& arena() { return arena_; }
    ThreadPool& threads() { return threads_; }

    RowSegment<T> row(std::size_t row, std::size_t segment);
    // The segments of several rows, those missing computed together.
    std::vector<RowSegment<T>> rows(Indices rows, std::size_t segment);
    // out[j] += sum_r k(rows[r], j) weights[r] for the columns j of a segment, from rows in the
    // cache; those missing are computed, and used while they are near. Added up as by `add_stored`.
    void add_rows(Indices rows, const T* weights, std::size_t segment, double* out);
    // The segment if the cache has it, else an empty one; no use of it as far as the cache goes.
    RowSegment<T> peek(std::size_t row, std::size_t segment);
    // How many of the rows have this segment in the cache.
    std::size_t n_held(Indices rows, std::size_t segment);
    std::size_t cache_bytes() const { return cache_.budget_bytes(); }

    // The full matrix, computed when first asked for and kept outside the cache: row i at
    // full_matrix() + i * full_stride(). Zeros follow each row, up to the stride, and the last row.
    // Products of all rows read it from then on.
    const T* full_matrix();
    std::size_t full_stride() const;

    // out[r * stride + c] = k(left[r], right[c])
    void block(Indices left, Indices right, T* out, std::size_t stride);

    // out[r * stride + c] = k(rows[r], rows[c]) for r in [begin, end) and all c; values among the
    // rows of this range are computed once.
    void square_rows(Indices rows, std::size_t begin, std::size_t end, T* out, std::size_t stride);

    // out[c * n + i] = sum_r k(row i, columns[r]) weights[r * n_columns + c] for all n = size()
    // rows, or for the n rows given; false if polled out
    bool product(Indices columns, const double* weights, std::size_t n_columns, double* out,
                 const Poll& poll, const std::vector<std::size_t>* rows = nullptr);

    // out[c * size() + j] += sum_r rows[r][j - first] weights[r * n_columns + c] for j in
    // [first, last), added up in the order of the fused product if there are whole blocks of rows.
    void add_stored(const std::vector<const T*>& rows, const T* weights, std::size_t n_columns,
                    std::size_t first, std::size_t last, double* out);
    // Rows in a batch of stored ones: whole blocks of any instruction set.
    static constexpr std::size_t stored_batch = 240;

    // For work done with kernel() itself.
    void count_evaluations(std::size_t count) { evaluations_ += count; }
    // For segments that a solver held instead of asking for them again.
    void count_hits(std::size_t count) { hits_ += count; }
    std::size_t n_evaluations() const { return evaluations_; }
    std::size_t n_hits() const { return hits_; }
    std::size_t n_misses() const { return misses_; }

  private:
    friend class RowSegment<T>;
    using Entry = typename SegmentCache<T>::Entry;

    // Called with columns of a segment that are there, by any thread.
    using TileUse = std::function<void(std::size_t begin, std::size_t end)>;
    // Segments that are held, and which of them their holder has to compute.
    struct Admission {
        std::vector<RowSegment<T>> held;
        std::vector<Entry*> entries, admitted;
        std::vector<std::size_t> missing;
        bool others_ready = true;  // those that were there
    };

    Admission admit(Indices rows, std::size_t segment);
    void compute(Indices rows, std::size_t segment, const std::vector<Entry*>& entries,
                 const TileUse& use);
    void compute_tiles(const RowValues<T>& values, std::size_t first, std::size_t begin,
                       std::size_t end, std::size_t tile, const std::vector<Entry*>& entries,
                       const TileUse& use);
    void fill(Indices rows, std::size_t segment, const std::vector<Entry*>& entries,
              const TileUse& use);
    void add_columns(std::vector<const T*> rows, const T* weights, std::size_t n_columns,
                     std::size_t begin, std::size_t end, double* out);
    RowSegment<T> hold(Entry* entry, bool computed);
    void wait_for(std::span<Entry* const> entries, std::unique_lock<std::mutex>& lock);
    std::vector<Entry*> admit_neighbours(std::size_t row, std::size_t segment,
                                         std::vector<std::size_t>& rows);
    void fill_square(const Kernel<T>& kernel, Indices rows, std::size_t begin, std::size_t end,
                     T* out, std::size_t stride);
    void unpin(Entry* entry);
    void let_go();
    bool has_full_matrix();
    bool product_of_full_matrix(Indices columns, const double* weights, std::size_t n_columns,
                                double* out, const Poll& poll);

    KernelPointer<T> kernel_;
    std::vector<std::size_t> segments_;
    std::vector<double> diagonal_;
    ThreadPool threads_;
    Arena arena_;
    SegmentCache<T> cache_;
    std::mutex mutex_;
    std::condition_variable computed_;
    std::mutex full_matrix_mutex_;
    Buffer<T> full_matrix_;
    std::atomic<std::size_t> evaluations_{0}, hits_{0}, misses_{0};
    AfterFork after_fork_{[this] { let_go(); }};
};

template <class T>
RowSegment<T>::~RowSegment() {
    if (gram_) gram_->unpin(entry_);
}

// out[c * n_right + j] = sum_r k(left[r], right j) weights[r * n_columns + c], in pieces between
// polls. The workhorse of Gram::product and of prediction. false if polled out.
template <class T>
bool kernel_product(const Kernel<T>& kernel, ThreadPool& threads, Indices left,
                    const double* weights, std::size_t n_columns, double* out, const Poll& poll);

}  // namespace mercer
