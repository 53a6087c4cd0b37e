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
static constexpr std::size_t tile_rows = 4;

// The diagonal block of the columns in work, column by column, and one over its pivots.
template <class T>
struct Corner {
    T columns[block * block];  // columns[c * block + e] is the factor's entry (e, c)
    T inverse[block];
};

// Factorizes the corner at row and column k: false if a pivot is not positive.
template <class T>
static bool factor_corner(T* a, std::size_t n, std::size_t k, std::size_t width,
                          Corner<T>& corner) {
    for (std::size_t j = 0; j < width; ++j) {
        T* row = a + (k + j) * n + k;
        for (std::size_t c = 0; c < j; ++c) {
            const T* column = corner.columns + c * block;
            row[c] *= corner.inverse[c];
            for (std::size_t e = c + 1; e < j; ++e) row[e] -= row[c] * column[e];
            row[j] -= row[c] * row[c];
        }
        if (!(row[j] > T(0))) return false;
        row[j] = std::sqrt(row[j]);
        corner.inverse[j] = T(1) / row[j];
        for (std::size_t c = 0; c <= j; ++c) corner.columns[c * block + j] = row[c];
    }
    return true;
}

// packed[c] = (packed[c] - sum_b<c packed[b] factor(c, b)) / factor(c, c), for neighbouring rows of
// the matrix in the lanes of `parts` vectors.
template <class T, int parts>
static inline void solve_lanes(const Corner<T>& corner, T* packed, std::size_t width,
                               std::size_t stride) {
    constexpr int lanes = Lanes<T>::count;
    for (std::size_t c = 0; c < width; ++c) {
        Vector<T> values[parts];
        for (int i = 0; i < parts; ++i) values[i] = load<T>(packed + c * stride + i * lanes);
        for (std::size_t b = 0; b < c; ++b) {
            const Vector<T> entry = splat<T>(corner.columns[b * block + c]);
            for (int i = 0; i < parts; ++i) {
                values[i] -= entry * load<T>(packed + b * stride + i * lanes);
            }
        }
        const Vector<T> inverse = splat<T>(corner.inverse[c]);
        for (int i = 0; i < parts; ++i) store<T>(packed + c * stride + i * lanes, values[i] * inverse);
    }
}

template <class T>
static inline void solve_one(const Corner<T>& corner, T* packed, std::size_t width,
                             std::size_t stride) {
    for (std::size_t c = 0; c < width; ++c) {
        T value = packed[c * stride];
        for (std::size_t b = 0; b < c; ++b) value -= corner.columns[b * block + c] * packed[b * stride];
        packed[c * stride] = value * corner.inverse[c];
    }
}

// Finishes columns [k, k + width) of the rows below the corner, and leaves them in `packed`, where
// the rows lie side by side.
template <class T>
static void finish_columns(T* a, std::size_t n, std::size_t k, std::size_t width,
                           const Corner<T>& corner, T* packed) {
    constexpr std::size_t lanes = Lanes<T>::count, four = 4 * lanes;
    const std::size_t first = k + width, count = n - first, stride = n;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < width; ++c) packed[c * stride + i] = a[(first + i) * n + k + c];
    }
    std::size_t i = 0;
    for (; i + four <= count; i += four) solve_lanes<T, 4>(corner, packed + i, width, stride);
    for (; i + lanes <= count; i += lanes) solve_lanes<T, 1>(corner, packed + i, width, stride);
    for (; i < count; ++i) solve_one(corner, packed + i, width, stride);
    for (i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < width; ++c) a[(first + i) * n + k + c] = packed[c * stride + i];
    }
}

// a[i][j] -= sum_c left[i][c] packed[c][j] for a tile of rows and columns.
template <class T, std::size_t rows>
static inline void subtract_tile(T* a, std::size_t n, const T* left, const T* packed,
                                 std::size_t width, std::size_t stride) {
    constexpr int lanes = Lanes<T>::count;
    Vector<T> sums[rows][2];
    for (std::size_t r = 0; r < rows; ++r) sums[r][0] = sums[r][1] = Vector<T>{};
    for (std::size_t c = 0; c < width; ++c) {
        const Vector<T> b0 = load<T>(packed + c * stride);
        const Vector<T> b1 = load<T>(packed + c * stride + lanes);
        for (std::size_t r = 0; r < rows; ++r) {
            const Vector<T> x = splat<T>(left[r * n + c]);
            sums[r][0] += x * b0;
            sums[r][1] += x * b1;
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        T* row = a + r * n;
        store<T>(row, load<T>(row) - sums[r][0]);
        store<T>(row + lanes, load<T>(row + lanes) - sums[r][1]);
    }
}

// The lower triangle of rows and columns [first, n) loses the product of the finished columns.
// Tiles may reach above the diagonal, where nothing is read.
template <class T>
static void subtract_columns(T* a, std::size_t n, std::size_t k, std::size_t width,
                             const T* packed) {
    constexpr std::size_t tile_columns = 2 * Lanes<T>::count;
    const std::size_t first = k + width, stride = n;
    for (std::size_t i = first; i < n; i += tile_rows) {
        const std::size_t rows = n - i < tile_rows ? n - i : tile_rows;
        const T* left = a + i * n + k;
        for (std::size_t j = first; j < i + rows; j += tile_columns) {
            T* corner = a + i * n + j;
            if (rows == tile_rows && j + tile_columns <= n) {
                subtract_tile<T, tile_rows>(corner, n, left, packed + (j - first), width, stride);
                continue;
            }
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t end = j + tile_columns < n ? j + tile_columns : n;
                for (std::size_t e = j; e < end; ++e) {
                    T sum = 0;
                    for (std::size_t c = 0; c < width; ++c) {
                        sum += left[r * n + c] * packed[c * stride + (e - first)];
                    }
                    corner[r * n + (e - j)] -= sum;
                }
            }
        }
    }
}

template <class T>
static bool cholesky(T* a, std::size_t n, T* packed) {
    for (std::size_t k = 0; k < n; k += block) {
        const std::size_t width = n - k < block ? n - k : block;
        Corner<T> corner;
        if (!factor_corner(a, n, k, width, corner)) return false;
        finish_columns(a, n, k, width, corner, packed);
        subtract_columns(a, n, k, width, packed);
    }
    return true;
}

// Summed in four vectors that do not wait for each other.
template <class T>
static T inner_product(const T* a, const T* b, std::size_t count) {
    constexpr std::size_t lanes = Lanes<T>::count;
    Vector<T> sums[4]{};
    std::size_t k = 0;
    for (; k + 4 * lanes <= count; k += 4 * lanes) {
        for (std::size_t i = 0; i < 4; ++i) {
            sums[i] += load<T>(a + k + i * lanes) * load<T>(b + k + i * lanes);
        }
    }
    for (; k + lanes <= count; k += lanes) sums[0] += load<T>(a + k) * load<T>(b + k);
    const Vector<T> whole = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    T sum = 0;
    for (; k < count; ++k) sum += a[k] * b[k];
    for (std::size_t i = 0; i < lanes; ++i) sum += whole[i];
    return sum;
}

template <class T>
static void solve(const T* factor, std::size_t n, T* x) {
    constexpr std::size_t lanes = Lanes<T>::count;
    for (std::size_t i = 0; i < n; ++i) {
        const T* row = factor + i * n;
        x[i] = (x[i] - inner_product(row, x, i)) / row[i];
    }
    for (std::size_t i = n; i-- > 0;) {
        const T* row = factor + i * n;
        x[i] /= row[i];
        const Vector<T> solved = splat<T>(x[i]);
        std::size_t j = 0;
        for (; j + lanes <= i; j += lanes) {
            store<T>(x + j, load<T>(x + j) - solved * load<T>(row + j));
        }
        for (; j < i; ++j) x[j] -= x[i] * row[j];
    }
}

extern const FactorFunctions<float> factor_single;
extern const FactorFunctions<double> factor_full;
const FactorFunctions<float> factor_single = {block, cholesky<float>, solve<float>};
const FactorFunctions<double> factor_full = {block, cholesky<double>, solve<double>};

}  // namespace MERCER_ISA
}  // namespace mercer
