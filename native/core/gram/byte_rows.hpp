// Data rows that stay bytes: packed panels of a quarter of the size of float ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/buffer.hpp"
#include "core/base/threads.hpp"
#include "simd/byte_rows.hpp"

namespace mercer {

// S: std::uint8_t or std::int8_t
template <class S>
class ByteRows {
  public:
    // values[i * n_features + k]
    // requires: n_features <= most_byte_features
    ByteRows(const S* values, std::size_t n_rows, std::size_t n_features);
    // The rows `index` of another set.
    ByteRows(const ByteRows& other, std::span<const std::size_t> index,
             ThreadPool* threads = nullptr);

    std::size_t size() const { return n_rows_; }
    std::size_t n_features() const { return n_features_; }
    // Of a product with a row, in multiplications of long dense rows of floats.
    double work() const { return 0.6 * double(n_features_); }
    BytePanels<S> panels() const { return {values_.data(), norms_.data(), n_pairs_}; }
    const std::int32_t* squared_norms() const { return norms_.data(); }

    // sum += weight * row, over features.
    void add_row(std::size_t row, double weight, double* sum) const;
    // out[i - first] += <row i, direction> for the rows i in [first, last), each summed over its
    // features in ascending order.
    void add_inner_products(const double* direction, std::size_t first, std::size_t last,
                            double* out) const;

    // The rows `index` in the left layout of simd/byte_rows.hpp.
    class Left {
      public:
        Left(const ByteRows& rows, std::span<const std::size_t> index);
        ByteLeftRows view() const { return {values_.data(), norms_.data(), count_, n_pairs_}; }

      private:
        Buffer<std::int32_t> values_, norms_;
        std::size_t count_, n_pairs_;
    };

  private:
    void allocate();
    // The first pair of a row; pair k is 2 width_ k further on.
    S* pairs_of(std::size_t row) {
        return values_.data() + (row / width_ * n_pairs_ * width_ + row % width_) * 2;
    }
    const S* pairs_of(std::size_t row) const { return const_cast<ByteRows*>(this)->pairs_of(row); }

    std::size_t n_rows_, n_features_, n_pairs_, width_;
    Buffer<S> values_;
    Buffer<std::int32_t> norms_;
};

}  // namespace mercer
