// Data rows in the form the micro-kernels read: packed panels if dense, CSR if sparse.
//
// This is the one copy of the data the core keeps, in the precision T of the kernel values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/buffer.hpp"
#include "core/base/threads.hpp"
#include "simd/micro_kernels.hpp"

namespace mercer {

// Rows as the user has them. Each value becomes (x - shift) * scale; null means 0 and 1.
template <class S>
struct DenseInput {
    const S* values;
    std::size_t row_stride;
    std::size_t n_rows, n_features;
    const double* shift;
    const double* scale;
};

// requires: features of a row ascending and distinct
template <class S, class I>
struct SparseInput {
    const I* start;
    const I* feature;
    const S* values;
    std::size_t n_rows, n_features;
    const double* scale;
};

enum class Storage { dense, sparse };

template <class T>
class Rows {
  public:
    // Dense rows that are mostly zeros are better stored sparse: zeros then cost nothing.
    // requires: no shift if stored sparse
    template <class S>
    Rows(const DenseInput<S>& input, Storage storage);
    template <class S, class I>
    explicit Rows(const SparseInput<S, I>& input);
    // The rows `index` of another set.
    Rows(const Rows& other, std::span<const std::size_t> index, ThreadPool* threads = nullptr);

    std::size_t size() const { return n_rows_; }
    std::size_t n_features() const { return n_features_; }
    bool is_sparse() const { return sparse_; }
    // Of a product with a row: entries one by one take as long as ten of a dense row.
    double work() const {
        if (!sparse_) return double(n_features_);
        return n_rows_ == 0 ? 0.0 : 10.0 * double(start_[n_rows_]) / double(n_rows_);
    }
    Panels<T> panels() const { return {values_.data(), norms_.data(), n_features_}; }
    SparseRows<T> sparse(bool one_norms) const {
        return {start_.data(), feature_.data(), values_.data(),
                one_norms ? one_norms_.data() : norms_.data()};
    }
    const T* squared_norms() const { return norms_.data(); }

    // Rows without a finite norm become the origin with the largest norm that leaves room for
    // others: kernels of distances find them far from everything.
    void set_apart();

    // sum += weight * row, over features.
    void add_row(std::size_t row, double weight, double* sum) const;
    // out[i - first] += <row i, direction> for the rows i in [first, last), each summed over its
    // features in ascending order.
    void add_inner_products(const double* direction, std::size_t first, std::size_t last,
                            double* out) const;

    // Copies the rows `index` into the left layout of micro_kernels.hpp, for use against `right`.
    // requires: right has as many features and the same density
    class Left {
      public:
        Left(const Rows& rows, std::span<const std::size_t> index, bool one_norms = false);
        LeftRows<T> view() const { return {values_.data(), norms_.data(), count_, n_features_}; }

      private:
        static std::size_t height_of(const Rows& rows, std::size_t count);

        std::size_t count_, n_features_, height_, padded_;
        SmallBuffer<T, 256> values_;  // one row, mostly
        SmallBuffer<T, 32> norms_;
    };

  private:
    template <class S>
    void pack_panels(const DenseInput<S>& input);
    template <class S>
    void pack_nonzeros(const DenseInput<S>& input);
    void allocate_panels();
    void finish_panels();
    void finish_sparse();
    void copy_norms(const Rows& other, std::span<const std::size_t> index);
    const T* lane(std::size_t row) const;
    void add_panel_products(const double* direction, std::size_t panel, std::size_t first,
                            std::size_t last, double* out) const;

    std::size_t n_rows_ = 0, n_features_ = 0, width_ = 1;
    bool sparse_ = false;
    Buffer<T> values_, norms_, one_norms_;
    Buffer<std::int64_t> start_;
    Buffer<std::int32_t> feature_;
};

}  // namespace mercer
