// Cholesky factorization of a small dense matrix, compiled once per instruction set.
//
// Blocked, right-looking: a block of columns is finished, packed so that the factor's rows lie side
// by side, and subtracted from what remains in register tiles.

#include <cmath>

#include "simd/leaf.hpp"
#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

static constexpr std::size_t block = 32;
static constexpr int lanes = Lanes<double>::count;
static constexpr std::size_t tile_rows = 4, tile_columns = 2 * lanes;

// Finishes columns [k, k + width) of rows [k, n): false if a pivot is not positive.
static bool factor_columns(double* a, std::size_t n, std::size_t k, std::size_t width) {
    double transposed[block * block];
    for (std::size_t j = 0; j < width; ++j) {
        double* row = a + (k + j) * n + k;
        for (std::size_t c = 0; c < j; ++c) {
            row[c] /= transposed[c * block + c];
            for (std::size_t e = c + 1; e < j; ++e) row[e] -= row[c] * transposed[c * block + e];
            row[j] -= row[c] * row[c];
        }
        if (!(row[j] > 0.0)) return false;
        row[j] = std::sqrt(row[j]);
        for (std::size_t c = 0; c <= j; ++c) transposed[c * block + j] = row[c];
    }
    for (std::size_t i = k + width; i < n; ++i) {
        double* row = a + i * n + k;
        for (std::size_t c = 0; c < width; ++c) {
            row[c] /= transposed[c * block + c];
            const double scale = row[c];
            const double* column = transposed + c * block;
            for (std::size_t e = c + 1; e < width; ++e) row[e] -= scale * column[e];
        }
    }
    return true;
}

// a[i][j] -= sum_c left[i][c] packed[c][j] for a tile of rows and columns.
template <std::size_t rows>
static inline void subtract_tile(double* a, std::size_t n, const double* left,
                                 const double* packed, std::size_t width, std::size_t stride) {
    Vector<double> sums[rows][2];
    for (std::size_t r = 0; r < rows; ++r) sums[r][0] = sums[r][1] = Vector<double>{};
    for (std::size_t c = 0; c < width; ++c) {
        const Vector<double> b0 = load<double>(packed + c * stride);
        const Vector<double> b1 = load<double>(packed + c * stride + lanes);
        for (std::size_t r = 0; r < rows; ++r) {
            const Vector<double> x = splat<double>(left[r * n + c]);
            sums[r][0] += x * b0;
            sums[r][1] += x * b1;
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        double* row = a + r * n;
        store<double>(row, load<double>(row) - sums[r][0]);
        store<double>(row + lanes, load<double>(row + lanes) - sums[r][1]);
    }
}

// The lower triangle of rows and columns [first, n) loses the product of the finished columns.
// Tiles may reach above the diagonal, where nothing is read.
static void subtract_columns(double* a, std::size_t n, std::size_t k, std::size_t width,
                             double* packed) {
    const std::size_t first = k + width, stride = n;
    for (std::size_t i = first; i < n; ++i) {
        for (std::size_t c = 0; c < width; ++c) packed[c * stride + (i - first)] = a[i * n + k + c];
    }
    for (std::size_t i = first; i < n; i += tile_rows) {
        const std::size_t rows = n - i < tile_rows ? n - i : tile_rows;
        const double* left = a + i * n + k;
        for (std::size_t j = first; j < i + rows; j += tile_columns) {
            double* corner = a + i * n + j;
            if (rows == tile_rows && j + tile_columns <= n) {
                subtract_tile<tile_rows>(corner, n, left, packed + (j - first), width, stride);
                continue;
            }
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t end = j + tile_columns < n ? j + tile_columns : n;
                for (std::size_t e = j; e < end; ++e) {
                    double sum = 0.0;
                    for (std::size_t c = 0; c < width; ++c) {
                        sum += left[r * n + c] * packed[c * stride + (e - first)];
                    }
                    corner[r * n + (e - j)] -= sum;
                }
            }
        }
    }
}

static bool cholesky(double* a, std::size_t n, double* packed) {
    for (std::size_t k = 0; k < n; k += block) {
        const std::size_t width = n - k < block ? n - k : block;
        if (!factor_columns(a, n, k, width)) return false;
        subtract_columns(a, n, k, width, packed);
    }
    return true;
}

extern const FactorFunctions factor_functions;
const FactorFunctions factor_functions = {block, cholesky};

}  // namespace MERCER_ISA
}  // namespace mercer
