// Cholesky factorization of a small dense matrix, compiled once per instruction set.
//
// Blocked, right-looking: a block of columns is finished, packed so that the factor's rows lie side
// by side, solved for in vectors of rows, and subtracted from what remains in register tiles.

#include <cmath>

#include "simd/leaf.hpp"
#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

static constexpr std::size_t block = 32;
static constexpr int lanes = Lanes<double>::count;
static constexpr std::size_t tile_rows = 4, tile_columns = 2 * lanes;

// The diagonal block of the columns in work, column by column, and one over its pivots.
struct Corner {
    double columns[block * block];  // columns[c * block + e] is the factor's entry (e, c)
    double inverse[block];
};

// Factorizes the corner at row and column k: false if a pivot is not positive.
static bool factor_corner(double* a, std::size_t n, std::size_t k, std::size_t width,
                          Corner& corner) {
    for (std::size_t j = 0; j < width; ++j) {
        double* row = a + (k + j) * n + k;
        for (std::size_t c = 0; c < j; ++c) {
            const double* column = corner.columns + c * block;
            row[c] *= corner.inverse[c];
            for (std::size_t e = c + 1; e < j; ++e) row[e] -= row[c] * column[e];
            row[j] -= row[c] * row[c];
        }
        if (!(row[j] > 0.0)) return false;
        row[j] = std::sqrt(row[j]);
        corner.inverse[j] = 1.0 / row[j];
        for (std::size_t c = 0; c <= j; ++c) corner.columns[c * block + j] = row[c];
    }
    return true;
}

// packed[c] = (packed[c] - sum_b<c packed[b] factor(c, b)) / factor(c, c), for neighbouring rows of
// the matrix in the lanes of `parts` vectors.
template <int parts>
static inline void solve_lanes(const Corner& corner, double* packed, std::size_t width,
                               std::size_t stride) {
    for (std::size_t c = 0; c < width; ++c) {
        Vector<double> values[parts];
        for (int i = 0; i < parts; ++i) values[i] = load<double>(packed + c * stride + i * lanes);
        for (std::size_t b = 0; b < c; ++b) {
            const Vector<double> entry = splat<double>(corner.columns[b * block + c]);
            for (int i = 0; i < parts; ++i) {
                values[i] -= entry * load<double>(packed + b * stride + i * lanes);
            }
        }
        const Vector<double> inverse = splat<double>(corner.inverse[c]);
        for (int i = 0; i < parts; ++i) store<double>(packed + c * stride + i * lanes, values[i] * inverse);
    }
}

static inline void solve_one(const Corner& corner, double* packed, std::size_t width,
                             std::size_t stride) {
    for (std::size_t c = 0; c < width; ++c) {
        double value = packed[c * stride];
        for (std::size_t b = 0; b < c; ++b) value -= corner.columns[b * block + c] * packed[b * stride];
        packed[c * stride] = value * corner.inverse[c];
    }
}

// Finishes columns [k, k + width) of the rows below the corner, and leaves them in `packed`, where
// the rows lie side by side.
static void finish_columns(double* a, std::size_t n, std::size_t k, std::size_t width,
                           const Corner& corner, double* packed) {
    constexpr std::size_t four = 4 * lanes;
    const std::size_t first = k + width, count = n - first, stride = n;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < width; ++c) packed[c * stride + i] = a[(first + i) * n + k + c];
    }
    std::size_t i = 0;
    for (; i + four <= count; i += four) solve_lanes<4>(corner, packed + i, width, stride);
    for (; i + lanes <= count; i += lanes) solve_lanes<1>(corner, packed + i, width, stride);
    for (; i < count; ++i) solve_one(corner, packed + i, width, stride);
    for (i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < width; ++c) a[(first + i) * n + k + c] = packed[c * stride + i];
    }
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
                             const double* packed) {
    const std::size_t first = k + width, stride = n;
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
        Corner corner;
        if (!factor_corner(a, n, k, width, corner)) return false;
        finish_columns(a, n, k, width, corner, packed);
        subtract_columns(a, n, k, width, packed);
    }
    return true;
}

extern const FactorFunctions factor_functions;
const FactorFunctions factor_functions = {block, cholesky};

}  // namespace MERCER_ISA
}  // namespace mercer
