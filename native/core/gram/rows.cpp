#include "core/gram/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/denormals.hpp"
#include "simd/instruction_set.hpp"

namespace mercer {

template <class T>
void Rows<T>::allocate_panels() {
    width_ = micro_kernels<T>().panel_width;
    const std::size_t padded = (n_rows_ + width_ - 1) / width_ * width_;
    values_ = Buffer<T>(checked_product(padded, n_features_));
    norms_ = Buffer<T>(padded);
    // Only the last panel has lanes without a row; they must hold ordinary numbers.
    std::fill(values_.data() + (padded - std::min(padded, width_)) * n_features_,
              values_.data() + padded * n_features_, T(0));
}

template <class T>
void Rows<T>::finish_panels() {
    const FlushDenormals flush;
    for (std::size_t i = 0; i < n_rows_; i += width_) {
        micro_kernels<T>().panel_norms(lane(i), n_features_, &norms_[i]);
    }
}

template <class T>
const T* Rows<T>::lane(std::size_t row) const {
    return values_.data() + row / width_ * width_ * n_features_ + row % width_;
}

template <class T>
template <class S>
Rows<T>::Rows(const DenseInput<S>& input, Storage storage)
    : n_rows_(input.n_rows), n_features_(input.n_features), sparse_(storage == Storage::sparse) {
    if (sparse_) {
        pack_nonzeros(input);
    } else {
        pack_panels(input);
    }
}

template <class T>
template <class S>
void Rows<T>::pack_nonzeros(const DenseInput<S>& input) {
    start_ = Buffer<std::int64_t>(n_rows_ + 1);
    start_[0] = 0;
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const S* x = input.values + i * input.row_stride;
        const auto zeros = std::count(x, x + n_features_, S(0));
        start_[i + 1] = start_[i] + std::int64_t(n_features_) - std::int64_t(zeros);
    }
    feature_ = Buffer<std::int32_t>(std::size_t(start_[n_rows_]));
    values_ = Buffer<T>(std::size_t(start_[n_rows_]));
    std::size_t e = 0;
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const S* x = input.values + i * input.row_stride;
        for (std::size_t k = 0; k < n_features_; ++k) {
            if (x[k] == S(0)) continue;
            feature_[e] = std::int32_t(k);
            values_[e++] = T(input.scale ? double(x[k]) * input.scale[k] : double(x[k]));
        }
    }
    finish_sparse();
}

// A row is converted some features at a time, and then stored beside the others of its panel: the
// lines of memory that these share stay in the first-level cache.
template <class T>
template <class S>
void Rows<T>::pack_panels(const DenseInput<S>& input) {
    allocate_panels();
    const std::vector<double> none(n_features_, 0.0), one(n_features_, 1.0);
    const double* shift = input.shift ? input.shift : none.data();
    const double* scale = input.scale ? input.scale : one.data();
    constexpr std::size_t together = 64;
    T some[together];
    for (std::size_t panel = 0; panel < n_rows_; panel += width_) {
        const std::size_t panel_end = std::min(panel + width_, n_rows_);
        for (std::size_t first = 0; first < n_features_; first += together) {
            const std::size_t count = std::min(together, n_features_ - first);
            for (std::size_t i = panel; i < panel_end; ++i) {
                const S* x = input.values + i * input.row_stride + first;
                for (std::size_t k = 0; k < count; ++k) {
                    some[k] = T((double(x[k]) - shift[first + k]) * scale[first + k]);
                }
                T* out = const_cast<T*>(lane(i)) + first * width_;
                for (std::size_t k = 0; k < count; ++k) out[k * width_] = some[k];
            }
        }
    }
    finish_panels();
}

template <class T>
template <class S, class I>
Rows<T>::Rows(const SparseInput<S, I>& input)
    : n_rows_(input.n_rows), n_features_(input.n_features), sparse_(true) {
    if (n_features_ > std::size_t(std::numeric_limits<std::int32_t>::max())) {
        throw std::invalid_argument("sparse rows may have at most 2^31 - 1 features");
    }
    const std::size_t entries = std::size_t(input.start[n_rows_]);
    start_ = Buffer<std::int64_t>(n_rows_ + 1);
    feature_ = Buffer<std::int32_t>(entries);
    values_ = Buffer<T>(entries);
    for (std::size_t i = 0; i <= n_rows_; ++i) start_[i] = std::int64_t(input.start[i]);
    for (std::size_t e = 0; e < entries; ++e) {
        feature_[e] = std::int32_t(input.feature[e]);
        values_[e] = T(input.scale ? double(input.values[e]) * input.scale[input.feature[e]]
                                   : double(input.values[e]));
    }
    finish_sparse();
}

template <class T>
void Rows<T>::finish_sparse() {
    const FlushDenormals flush;
    norms_ = Buffer<T>(n_rows_);
    one_norms_ = Buffer<T>(n_rows_);
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const T* x = values_.data() + start_[i];
        const std::size_t count = std::size_t(start_[i + 1] - start_[i]);
        norms_[i] = micro_kernels<T>().squared_norm(x, count);
        T sum = 0;
        for (std::size_t k = 0; k < count; ++k) sum += std::abs(x[k]);
        one_norms_[i] = sum;
    }
}

template <class T>
Rows<T>::Rows(const Rows& other, std::span<const std::size_t> index, ThreadPool* threads)
    : n_rows_(index.size()), n_features_(other.n_features_), sparse_(other.sparse_) {
    if (!sparse_) {
        allocate_panels();
        share_rows(threads, n_rows_, n_features_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const T* from = other.lane(index[i]);
                T* to = const_cast<T*>(lane(i));
                for (std::size_t k = 0; k < n_features_; ++k) to[k * width_] = from[k * width_];
            }
        });
        copy_norms(other, index);
        return;
    }
    start_ = Buffer<std::int64_t>(n_rows_ + 1);
    start_[0] = 0;
    for (std::size_t i = 0; i < n_rows_; ++i) {
        start_[i + 1] = start_[i] + other.start_[index[i] + 1] - other.start_[index[i]];
    }
    feature_ = Buffer<std::int32_t>(std::size_t(start_[n_rows_]));
    values_ = Buffer<T>(std::size_t(start_[n_rows_]));
    const std::size_t mean = n_rows_ ? values_.size() / n_rows_ : 0;
    share_rows(threads, n_rows_, mean, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const std::int64_t begin = other.start_[index[i]];
            const auto count = std::size_t(other.start_[index[i] + 1] - begin);
            std::copy_n(other.feature_.data() + begin, count, feature_.data() + start_[i]);
            std::copy_n(other.values_.data() + begin, count, values_.data() + start_[i]);
        }
    });
    norms_ = Buffer<T>(n_rows_);
    one_norms_ = Buffer<T>(n_rows_);
    copy_norms(other, index);
}

template <class T>
void Rows<T>::copy_norms(const Rows& other, std::span<const std::size_t> index) {
    for (std::size_t i = 0; i < n_rows_; ++i) {
        norms_[i] = other.norms_[index[i]];
        if (sparse_) one_norms_[i] = other.one_norms_[index[i]];
    }
    std::fill(norms_.data() + n_rows_, norms_.data() + norms_.size(), T(0));
}

template <class T>
void Rows<T>::add_row(std::size_t row, double weight, double* sum) const {
    if (sparse_) {
        for (std::int64_t e = start_[row]; e < start_[row + 1]; ++e) {
            sum[feature_[e]] += weight * double(values_[e]);
        }
        return;
    }
    const T* x = lane(row);
    for (std::size_t k = 0; k < n_features_; ++k) sum[k] += weight * double(x[k * width_]);
}

template <class T>
void Rows<T>::add_inner_products(const double* direction, std::size_t first, std::size_t last,
                                 double* out) const {
    if (!sparse_) {
        for (std::size_t i = first; i < last;) {
            const std::size_t end = std::min(last, (i / width_ + 1) * width_);
            add_panel_products(direction, i / width_, i % width_, end - i / width_ * width_,
                               out + (i - first));
            i = end;
        }
        return;
    }
    for (std::size_t i = first; i < last; ++i) {
        double sum = 0.0;
        for (std::int64_t e = start_[i]; e < start_[i + 1]; ++e) {
            sum += direction[feature_[e]] * double(values_[e]);
        }
        out[i - first] += sum;
    }
}

// Lanes [first, last) of a panel; all lanes are summed side by side.
template <class T>
void Rows<T>::add_panel_products(const double* direction, std::size_t panel, std::size_t first,
                                 std::size_t last, double* out) const {
    constexpr std::size_t widest = 64;
    double sums[widest] = {};
    const T* values = values_.data() + panel * width_ * n_features_;
    for (std::size_t k = 0; k < n_features_; ++k, values += width_) {
        for (std::size_t r = 0; r < width_; ++r) sums[r] += direction[k] * double(values[r]);
    }
    for (std::size_t r = first; r < last; ++r) out[r - first] += sums[r];
}

template <class T>
std::size_t Rows<T>::Left::height_of(const Rows& rows, std::size_t count) {
    if (count == 1) return 1;
    return rows.sparse_ ? micro_kernels<T>().sparse_height : micro_kernels<T>().left_height;
}

template <class T>
Rows<T>::Left::Left(const Rows& rows, std::span<const std::size_t> index, bool one_norms)
    : count_(index.size()), n_features_(rows.n_features_), height_(height_of(rows, count_)),
      padded_((count_ + height_ - 1) / height_ * height_),
      values_(checked_product(padded_, n_features_)), norms_(padded_) {
    T *const values = values_.data(), *const norms = norms_.data();
    const std::size_t clean_from = rows.sparse_ ? 0 : (padded_ - std::min(padded_, height_));
    std::fill(values + clean_from * n_features_, values + padded_ * n_features_, T(0));
    std::fill(norms, norms + padded_, T(0));
    for (std::size_t r = 0; r < count_; ++r) {
        const std::size_t i = index[r];
        T* out = values + r / height_ * height_ * n_features_ + r % height_;
        norms[r] = one_norms ? rows.one_norms_[i] : rows.norms_[i];
        if (rows.sparse_) {
            for (std::int64_t e = rows.start_[i]; e < rows.start_[i + 1]; ++e) {
                out[std::size_t(rows.feature_[e]) * height_] = rows.values_[e];
            }
        } else {
            const T* x = rows.lane(i);
            for (std::size_t k = 0; k < n_features_; ++k) out[k * height_] = x[k * rows.width_];
        }
    }
}

template <class T>
void Rows<T>::set_apart() {
    for (std::size_t i = 0; i < n_rows_; ++i) {
        if (std::isfinite(norms_[i])) continue;
        norms_[i] = std::numeric_limits<T>::max() / 4;
        if (sparse_) {
            std::fill(values_.data() + start_[i], values_.data() + start_[i + 1], T(0));
        } else {
            T* x = const_cast<T*>(lane(i));
            for (std::size_t k = 0; k < n_features_; ++k) x[k * width_] = T(0);
        }
    }
}

#define MERCER_INSTANTIATE(T)                                         \
    template class Rows<T>;                                           \
    template Rows<T>::Rows(const DenseInput<float>&, Storage);        \
    template Rows<T>::Rows(const DenseInput<double>&, Storage);       \
    template Rows<T>::Rows(const DenseInput<std::uint8_t>&, Storage); \
    template Rows<T>::Rows(const SparseInput<float, std::int32_t>&);  \
    template Rows<T>::Rows(const SparseInput<double, std::int32_t>&); \
    template Rows<T>::Rows(const SparseInput<float, std::int64_t>&);  \
    template Rows<T>::Rows(const SparseInput<double, std::int64_t>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
