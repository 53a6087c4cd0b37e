#include "core/gram/gram.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "simd/instruction_set.hpp"

namespace mercer {

// Entries below which a second thread costs more than it brings.
static constexpr std::size_t parallel_entries = 1 << 14;
// Columns are shared among threads in multiples of a few panels.
static constexpr std::size_t column_grain = 128;
// Rows in whole blocks of any instruction set, dense or sparse.
static constexpr std::size_t row_grain = 96;
// Columns of many rows computed together, so that they are copied while in the cache.
static constexpr std::size_t column_tile = 512;

template <class T>
Gram<T>::Gram(KernelPointer<T> kernel, std::vector<std::size_t> segments, std::size_t cache_bytes,
              std::size_t n_threads)
    : kernel_(std::move(kernel)), segments_(std::move(segments)), diagonal_(kernel_->n_left()),
      threads_(n_threads), cache_(cache_bytes) {
    kernel_->left_diagonal(diagonal_.data());
}

template <class T>
RowSegment<T> Gram<T>::peek(std::size_t row, std::size_t segment) {
    std::lock_guard lock(mutex_);
    Entry* entry = cache_.peek(row, segment);
    if (!entry || !entry->ready) return {};
    return hold(entry, false);
}

template <class T>
RowSegment<T> Gram<T>::row(std::size_t row, std::size_t segment) {
    std::unique_lock lock(mutex_);
    if (Entry* entry = cache_.find(row, segment)) {
        ++hits_;
        RowSegment<T> held = hold(entry, false);
        wait_for({&entry, 1}, lock);
        return held;
    }
    ++misses_;
    std::vector<std::size_t> rows{row};
    const std::vector<Entry*> entries = admit_neighbours(row, segment, rows);
    std::vector<RowSegment<T>> held;
    for (Entry* entry : entries) held.push_back(hold(entry, true));
    lock.unlock();
    fill(rows, segment, entries, {});
    return std::move(held[0]);
}

template <class T>
std::vector<RowSegment<T>> Gram<T>::rows(Indices rows, std::size_t segment) {
    Admission some = admit(rows, segment);
    // Own rows first, then those of others: no thread waits for one that waits.
    if (!some.missing.empty()) fill(some.missing, segment, some.admitted, {});
    std::unique_lock lock(mutex_);
    wait_for(some.entries, lock);
    return std::move(some.held);
}

template <class T>
void Gram<T>::add_rows(Indices rows, const T* weights, std::size_t segment, double* out) {
    const Admission some = admit(rows, segment);
    std::vector<const T*> values(rows.size());
    std::ranges::transform(some.held, values.begin(), [](const auto& row) { return row.values(); });
    const std::size_t first = segments_[segment], length = segments_[segment + 1] - first;
    const TileUse add = [&](std::size_t begin, std::size_t end) {
        add_columns(values, weights, 1, begin, end, out + first);
    };
    if (some.others_ready && !some.missing.empty()) {
        fill(some.missing, segment, some.admitted, add);
        return;
    }
    if (!some.missing.empty()) fill(some.missing, segment, some.admitted, {});
    if (!some.others_ready) {
        std::unique_lock lock(mutex_);
        wait_for(some.entries, lock);
    }
    threads_.parallel_for(length, column_grain, add);
}

template <class T>
std::size_t Gram<T>::n_held(Indices rows, std::size_t segment) {
    std::lock_guard lock(mutex_);
    return std::size_t(std::ranges::count_if(
        rows, [&](std::size_t row) { return cache_.peek(row, segment) != nullptr; }));
}

// Entries of these rows, new ones for those that are missing.
template <class T>
auto Gram<T>::admit(Indices rows, std::size_t segment) -> Admission {
    const std::size_t length = segments_[segment + 1] - segments_[segment];
    Admission some;
    std::lock_guard lock(mutex_);
    for (const std::size_t row : rows) {
        Entry* entry = cache_.find(row, segment);
        const bool is_new = !entry;
        if (is_new) {
            entry = cache_.admit(row, segment, length);
            some.missing.push_back(row);
            some.admitted.push_back(entry);
        }
        some.others_ready = some.others_ready && (is_new || entry->ready);
        some.entries.push_back(entry);
        some.held.push_back(hold(entry, is_new));
    }
    hits_ += rows.size() - some.missing.size();
    misses_ += some.missing.size();
    return some;
}

template <class T>
RowSegment<T> Gram<T>::hold(Entry* entry, bool computed) {
    ++entry->pins;
    return RowSegment<T>(this, entry, computed);
}

// Waits until others have computed these entries. Unlocks: a holder that learns of a failure lets
// go of its entries under the lock.
template <class T>
void Gram<T>::wait_for(std::span<Entry* const> entries, std::unique_lock<std::mutex>& lock) {
    bool failed = false;
    for (Entry* entry : entries) {
        computed_.wait(lock, [&] { return entry->ready || entry->failed; });
        failed = failed || entry->failed;
    }
    lock.unlock();
    if (failed) throw std::runtime_error("a kernel row could not be computed by another thread");
}

// Computes new entries and tells those who wait for them.
template <class T>
void Gram<T>::fill(Indices rows, std::size_t segment, const std::vector<Entry*>& entries,
                   const TileUse& use) {
    bool Entry::* outcome = &Entry::failed;
    const auto tell = [&] {
        std::lock_guard lock(mutex_);
        for (Entry* entry : entries) entry->*outcome = true;
        computed_.notify_all();
    };
    try {
        compute(rows, segment, entries, use);
    } catch (...) {
        tell();
        throw;
    }
    outcome = &Entry::ready;
    tell();
}

// New entries for `row` and for the rows near it that are best computed together.
template <class T>
auto Gram<T>::admit_neighbours(std::size_t row, std::size_t segment, std::vector<std::size_t>& rows)
    -> std::vector<Entry*> {
    const std::size_t length = segments_[segment + 1] - segments_[segment];
    const std::size_t together = kernel_->rows_at_once();
    std::vector<Entry*> entries{cache_.admit(row, segment, length)};
    if (together > 1 && cache_.has_room_for(4 * together, length)) {
        const std::size_t begin = row / together * together;
        for (std::size_t i = begin; i < std::min(begin + together, size()); ++i) {
            if (cache_.find(i, segment)) continue;
            entries.push_back(cache_.admit(i, segment, length));
            rows.push_back(i);
        }
    }
    return entries;
}

template <class T>
void Gram<T>::compute(Indices rows, std::size_t segment, const std::vector<Entry*>& entries,
                      const TileUse& use) {
    const std::size_t first = segments_[segment], length = segments_[segment + 1] - first;
    evaluations_ += rows.size() * length;
    if (rows.size() == 1) {
        T* out = entries[0]->values.data();
        const auto part = [&](std::size_t begin, std::size_t end) {
            kernel_->values(rows, first + begin, first + end, out + begin, end - begin);
            if (use) use(begin, end);
        };
        if (kernel_->is_parallel() && length >= parallel_entries) {
            threads_.parallel_for(length, column_grain, part);
        } else {
            part(0, length);
        }
        return;
    }
    const RowValues<T> values = kernel_->ready(rows);
    if (kernel_->is_parallel()) {
        threads_.parallel_for(length, column_grain, [&](std::size_t begin, std::size_t end) {
            compute_tiles(values, first, begin, end, column_tile, entries, use);
        });
    } else {
        compute_tiles(values, first, 0, length, length, entries, use);
    }
}

// Columns [begin, end) of a segment, a tile at a time while it is in the cache.
template <class T>
void Gram<T>::compute_tiles(const RowValues<T>& values, std::size_t first, std::size_t begin,
                            std::size_t end, std::size_t tile, const std::vector<Entry*>& entries,
                            const TileUse& use) {
    Buffer<T> block(checked_product(entries.size(), tile));
    for (std::size_t j = begin; j < end; j += tile) {
        const std::size_t width = std::min(tile, end - j);
        values(first + j, first + j + width, block.data(), tile);
        for (std::size_t r = 0; r < entries.size(); ++r) {
            std::copy_n(&block[r * tile], width, entries[r]->values.data() + j);
        }
        if (use) use(j, j + width);
    }
}

template <class T>
void Gram<T>::unpin(Entry* entry) {
    std::lock_guard lock(mutex_);
    if (--entry->pins == 0 && entry->failed) cache_.remove(entry);
}

// In the child of a fork no thread goes on with what others had begun.
template <class T>
void Gram<T>::let_go() {
    if (is_consistent(mutex_)) {
        cache_.disown_unready();
    } else {
        renew(cache_, cache_.budget_bytes());
    }
    renew(computed_);
    if (!is_consistent(full_matrix_mutex_)) renew(full_matrix_);
}

template <class T>
std::size_t Gram<T>::full_stride() const {
    constexpr std::size_t widest = 16, apart = 16;  // lanes; so that rows share no cache set
    return (size() + widest - 1) / widest * widest + apart;
}

template <class T>
const T* Gram<T>::full_matrix() {
    std::lock_guard lock(full_matrix_mutex_);
    if (full_matrix_.size() > 0) return full_matrix_.data();
    const std::size_t n = size(), stride = full_stride();
    Buffer<T> matrix(checked_product(stride + 1, stride));
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t(0));
    fill_square(*kernel_, rows, 0, n, matrix.data(), stride);
    for (std::size_t i = 0; i < n; ++i) std::fill_n(&matrix[i * stride + n], stride - n, T(0));
    std::fill(&matrix[n * stride], matrix.data() + matrix.size(), T(0));
    full_matrix_ = std::move(matrix);
    return full_matrix_.data();
}

template <class T>
void Gram<T>::block(Indices left, Indices right, T* out, std::size_t stride) {
    evaluations_ += left.size() * right.size();
    const KernelPointer<T> narrow = kernel_->with_right(right, &threads_);
    const auto rows = [&](std::size_t begin, std::size_t end) {
        narrow->values(left.subspan(begin, end - begin), 0, right.size(), out + begin * stride,
                       stride);
    };
    if (narrow->is_parallel() && left.size() * right.size() >= parallel_entries) {
        threads_.parallel_for(left.size(), row_grain, rows);
    } else {
        rows(0, left.size());
    }
}

template <class T>
void Gram<T>::square_rows(Indices rows, std::size_t begin, std::size_t end, T* out,
                          std::size_t stride) {
    fill_square(*kernel_->with_right(rows, &threads_), rows, begin, end, out, stride);
}

// As square_rows, with a kernel that has these rows on the right.
template <class T>
void Gram<T>::fill_square(const Kernel<T>& kernel, Indices rows, std::size_t begin, std::size_t end,
                          T* out, std::size_t stride) {
    const auto part = [&](std::size_t first, std::size_t last) {
        for (std::size_t r = begin + first; r < begin + last; r += row_grain) {
            const std::size_t height = std::min(row_grain, begin + last - r);
            const RowValues<T> values = kernel.ready(rows.subspan(r, height));
            if (begin > 0) values(0, begin, out + r * stride, stride);
            values(r, rows.size(), out + r * stride + r, stride);
            instruction_set().subproblem.of<T>().mirror(out, stride, r, r + height, end);
            evaluations_ += height * (begin + rows.size() - r);
        }
    };
    if (kernel.is_parallel() && (end - begin) * rows.size() >= parallel_entries) {
        threads_.parallel_for(end - begin, row_grain, part);
    } else {
        part(0, end - begin);
    }
}

template <class T>
bool Gram<T>::has_full_matrix() {
    std::lock_guard lock(full_matrix_mutex_);
    return full_matrix_.size() > 0;
}

template <class T>
void Gram<T>::add_stored(const std::vector<const T*>& rows, const T* weights, std::size_t n_columns,
                         std::size_t first, std::size_t last, double* out) {
    threads_.parallel_for(last - first, column_grain, [&](std::size_t begin, std::size_t end) {
        add_columns(rows, weights, n_columns, begin, end, out + first);
    });
}

// Columns [begin, end) of the rows, into the same of each `out`.
template <class T>
void Gram<T>::add_columns(std::vector<const T*> rows, const T* weights, std::size_t n_columns,
                          std::size_t begin, std::size_t end, double* out) {
    for (const T*& row : rows) row += begin;
    instruction_set().micro_kernels.of<T>().add_product(rows.data(), rows.size(), end - begin,
                                                        weights, n_columns, out + begin, size());
}

template <class T>
bool Gram<T>::product_of_full_matrix(Indices columns, const double* weights, std::size_t n_columns,
                                     double* out, const Poll& poll) {
    const std::vector<T> w(weights, weights + columns.size() * n_columns);
    std::fill_n(out, n_columns * size(), 0.0);
    for (std::size_t i = 0; i < columns.size(); i += stored_batch) {
        std::vector<const T*> rows;
        for (const std::size_t row :
             columns.subspan(i, std::min(stored_batch, columns.size() - i))) {
            rows.push_back(full_matrix() + row * full_stride());
        }
        add_stored(rows, &w[i * n_columns], n_columns, 0, size(), out);
        if (poll && !poll()) return false;
    }
    return true;
}

template <class T>
bool Gram<T>::product(Indices columns, const double* weights, std::size_t n_columns, double* out,
                      const Poll& poll, const std::vector<std::size_t>* rows) {
    if (!rows && has_full_matrix())
        return product_of_full_matrix(columns, weights, n_columns, out, poll);
    const KernelPointer<T> narrow = rows ? kernel_->with_right(*rows, &threads_) : kernel_;
    evaluations_ += columns.size() * narrow->n_right();
    return kernel_product(*narrow, threads_, columns, weights, n_columns, out, poll);
}

template <class T>
bool kernel_product(const Kernel<T>& kernel, ThreadPool& threads, Indices left,
                    const double* weights, std::size_t n_columns, double* out, const Poll& poll) {
    // A piece between two polls is about a hundredth of a second of work. Its left rows are whole
    // blocks of any instruction set, so that the order of summation depends on nothing else.
    constexpr std::size_t left_piece = 3840;
    const std::size_t entries = threads.n_threads() << 23;
    const std::size_t n = kernel.n_right();
    std::fill_n(out, n_columns * n, 0.0);
    for (std::size_t i = 0; i < left.size(); i += left_piece) {
        const Indices some = left.subspan(i, std::min(left_piece, left.size() - i));
        const std::size_t step =
            std::max(column_grain, entries / some.size() / column_grain * column_grain);
        for (std::size_t j = 0; j < n; j += step) {
            const std::size_t count = std::min(step, n - j);
            const bool shares = kernel.is_parallel() && count * some.size() >= parallel_entries;
            kernel.product(some, weights + i * n_columns, n_columns, j, j + count, out + j, n,
                           shares ? &threads : nullptr);
            if (poll && !poll()) return false;
        }
    }
    return true;
}

template class Gram<float>;
template class Gram<double>;
template bool kernel_product(const Kernel<float>&, ThreadPool&, Indices, const double*, std::size_t,
                             double*, const Poll&);
template bool kernel_product(const Kernel<double>&, ThreadPool&, Indices, const double*,
                             std::size_t, double*, const Poll&);

}  // namespace mercer
