#include "core/gram/byte_rows.hpp"

#include <algorithm>

#include "simd/instruction_set.hpp"

namespace mercer {

template <class S>
static const ByteFunctions<float, S>& row_functions() {
    return byte_functions<float, S>(*instruction_set().bytes);
}

template <class S>
void ByteRows<S>::allocate() {
    n_pairs_ = (n_features_ + 1) / 2;
    width_ = row_functions<S>().panel_width;
    const std::size_t padded = (n_rows_ + width_ - 1) / width_ * width_;
    values_ = Buffer<S>(checked_product(padded, 2 * n_pairs_));
    norms_ = Buffer<std::int32_t>(padded);
    // Only the last panel has lanes without a row; they must hold ordinary numbers.
    std::fill(values_.data() + (padded - std::min(padded, width_)) * 2 * n_pairs_,
              values_.data() + values_.size(), S(0));
    std::fill(norms_.data() + n_rows_, norms_.data() + padded, 0);
}

template <class S>
ByteRows<S>::ByteRows(const S* values, std::size_t n_rows, std::size_t n_features)
    : n_rows_(n_rows), n_features_(n_features) {
    allocate();
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const S* x = values + i * n_features_;
        S* out = pairs_of(i);
        std::int32_t norm = 0;
        for (std::size_t k = 0; k < n_features_; ++k) {
            out[k / 2 * 2 * width_ + k % 2] = x[k];
            norm += std::int32_t(x[k]) * x[k];
        }
        if (n_features_ % 2) out[n_features_ / 2 * 2 * width_ + 1] = S(0);
        norms_[i] = norm;
    }
}

template <class S>
ByteRows<S>::ByteRows(const ByteRows& other, std::span<const std::size_t> index,
                      ThreadPool* threads)
    : n_rows_(index.size()), n_features_(other.n_features_) {
    allocate();
    share_rows(threads, n_rows_, n_features_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const S* from = other.pairs_of(index[i]);
            S* to = pairs_of(i);
            for (std::size_t k = 0; k < n_pairs_; ++k, from += 2 * width_, to += 2 * width_) {
                to[0] = from[0];
                to[1] = from[1];
            }
            norms_[i] = other.norms_[index[i]];
        }
    });
}

template <class S>
void ByteRows<S>::add_row(std::size_t row, double weight, double* sum) const {
    const S* x = pairs_of(row);
    for (std::size_t k = 0; k < n_features_; ++k) {
        sum[k] += weight * double(x[k / 2 * 2 * width_ + k % 2]);
    }
}

template <class S>
void ByteRows<S>::add_inner_products(const double* direction, std::size_t first, std::size_t last,
                                     double* out) const {
    constexpr std::size_t widest = 64;
    for (std::size_t i = first; i < last;) {
        const std::size_t panel = i / width_ * width_, end = std::min(last, panel + width_);
        double sums[widest] = {};
        const S* values = pairs_of(panel);
        for (std::size_t k = 0; k < n_features_; ++k) {
            const S* pairs = values + k / 2 * 2 * width_ + k % 2;
            for (std::size_t r = 0; r < width_; ++r) sums[r] += direction[k] * double(pairs[2 * r]);
        }
        for (; i < end; ++i) out[i - first] += sums[i - panel];
    }
}

template <class S>
ByteRows<S>::Left::Left(const ByteRows& rows, std::span<const std::size_t> index)
    : count_(index.size()), n_pairs_(rows.n_pairs_) {
    const std::size_t height = count_ == 1 ? 1 : row_functions<S>().left_height;
    const std::size_t padded = (count_ + height - 1) / height * height;
    values_ = Buffer<std::int32_t>(checked_product(padded, n_pairs_));
    norms_ = Buffer<std::int32_t>(padded);
    std::fill(values_.data() + (padded - std::min(padded, height)) * n_pairs_,
              values_.data() + padded * n_pairs_, 0);
    std::fill(norms_.data() + count_, norms_.data() + padded, 0);
    for (std::size_t r = 0; r < count_; ++r) {
        const S* x = rows.pairs_of(index[r]);
        std::int32_t* out = values_.data() + r / height * height * n_pairs_ + r % height;
        for (std::size_t k = 0; k < n_pairs_; ++k, x += 2 * rows.width_) {
            const std::uint32_t low = std::uint16_t(std::int16_t(x[0]));
            const std::uint32_t high = std::uint16_t(std::int16_t(x[1]));
            out[k * height] = std::int32_t(low | high << 16);
        }
        norms_[r] = rows.norms_[index[r]];
    }
}

template class ByteRows<std::uint8_t>;
template class ByteRows<std::int8_t>;

}  // namespace mercer
