#include "core/gram/matrix_facts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/cholesky.hpp"

namespace mercer {

namespace {

constexpr std::size_t side = 128;        // of tiles, a few of which stay in the cache of a core
constexpr std::size_t apart = side + 8;  // entries between rows, so that they share no cache set
using Tile = std::array<double, side * apart>;
using Bits = std::uint64_t;

constexpr Bits ones = std::bit_cast<Bits>(std::numeric_limits<double>::infinity());
constexpr Bits sign = Bits(1) << 63;

// One number for each column of a tile, which leaves the compiler free to use vectors.
struct ColumnFacts {
    std::array<double, side> largest{}, skew{}, excess{};
    std::array<Bits, side> carried{};
};

template <class S>
struct Matrix {
    const S* values;
    std::ptrdiff_t row_stride, column_stride;

    const S* at(std::size_t i, std::size_t j) const {
        return values + std::ptrdiff_t(i) * row_stride + std::ptrdiff_t(j) * column_stride;
    }
};

// to[r][c] = K[row + r][column + c], zero beyond the matrix.
template <class S>
void copy_tile(const Matrix<S>& k, std::size_t row, std::size_t column, std::size_t height,
               std::size_t width, Tile& to) {
    if (height < side || width < side) to.fill(0.0);
    for (std::size_t r = 0; r < height; ++r) {
        const S* from = k.at(row + r, column);
        double* out = &to[r * apart];
        if (k.column_stride == 1) {
            for (std::size_t c = 0; c < width; ++c) out[c] = double(from[c]);
        } else {
            for (std::size_t c = 0; c < width; ++c) {
                out[c] = double(from[std::ptrdiff_t(c) * k.column_stride]);
            }
        }
    }
}

void transpose(const Tile& from, Tile& to) {
    constexpr std::size_t line = 8;
    for (std::size_t c = 0; c < side; c += line) {
        for (std::size_t r = 0; r < side; ++r) {
            for (std::size_t k = c; k < c + line; ++k) to[k * apart + r] = from[r * apart + k];
        }
    }
}

double larger(double a, double b) {
    return a > b ? a : b;
}

// An exponent of ones only, which infinity and no other numbers have, carries into the sign if one
// is added to it.
Bits carry(double value) {
    return (std::bit_cast<Bits>(value) & ones) + (sign - ones);
}

// A tile above the diagonal, or on it, and its mirror image, both with the rows of the first.
void look(const Tile& tile, const Tile& mirrored, const double* row_size, const double* column_size,
          ColumnFacts& found) {
    for (std::size_t r = 0; r < side; ++r) {
        const double *a = &tile[r * apart], *b = &mirrored[r * apart];
        const double own = row_size[r];
        for (std::size_t c = 0; c < side; ++c) {
            const double length = larger(std::abs(a[c]), std::abs(b[c]));
            found.largest[c] = larger(found.largest[c], length);
            found.skew[c] = larger(found.skew[c], std::abs(a[c] - b[c]));
            found.excess[c] = larger(found.excess[c], length - own * column_size[c]);
            found.carried[c] |= carry(a[c]) | carry(b[c]);
        }
    }
}

MatrixFacts reduced(const ColumnFacts& found) {
    Bits carried = 0;
    for (const Bits one : found.carried) carried |= one;
    return {!(carried & sign), *std::ranges::max_element(found.largest),
            *std::ranges::max_element(found.skew), *std::ranges::max_element(found.excess)};
}

}  // namespace

template <class S>
MatrixFacts matrix_facts(const S* matrix, std::size_t n, std::ptrdiff_t row_stride,
                         std::ptrdiff_t column_stride, const double* size) {
    const Matrix<S> k{matrix, row_stride, column_stride};
    ColumnFacts found;
    Tile tile, lower, mirrored;
    std::array<double, side> row_size, column_size;
    for (std::size_t i = 0; i < n; i += side) {
        const std::size_t height = std::min(side, n - i);
        row_size.fill(0.0);
        std::copy_n(size + i, height, row_size.begin());
        for (std::size_t j = i; j < n; j += side) {
            const std::size_t width = std::min(side, n - j);
            column_size.fill(0.0);
            std::copy_n(size + j, width, column_size.begin());
            copy_tile(k, i, j, height, width, tile);
            copy_tile(k, j, i, width, height, lower);
            transpose(lower, mirrored);
            look(tile, mirrored, row_size.data(), column_size.data(), found);
        }
    }
    return reduced(found);
}

bool is_nearly_definite(const double* matrix, std::size_t n, double scale, double shift) {
    std::vector<double> lower(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            lower[i * n + j] = 0.5 * (matrix[i * n + j] / scale + matrix[j * n + i] / scale);
        }
        lower[i * n + i] += shift;
    }
    return Cholesky<double>(std::move(lower), n).is_positive();
}

template MatrixFacts matrix_facts(const float*, std::size_t, std::ptrdiff_t, std::ptrdiff_t,
                                  const double*);
template MatrixFacts matrix_facts(const double*, std::size_t, std::ptrdiff_t, std::ptrdiff_t,
                                  const double*);

}  // namespace mercer
