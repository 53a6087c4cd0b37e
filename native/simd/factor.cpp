// Cholesky factorization of a small dense matrix, compiled once per instruction set.
//
// Blocked, right-looking: a block of columns is finished, packed so that the factor's rows lie side
// by side, solved for in vectors of rows, and subtracted from what remains in register tiles.

#include <cmath>

#include "simd/border.hpp"
#include "simd/factor.hpp"
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
static bool factor_corner(T* a, std::size_t stride, std::size_t k, std::size_t width,
                          Corner<T>& corner) {
    for (std::size_t j = 0; j < width; ++j) {
        T* row = a + (k + j) * stride + k;
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
                               std::size_t pitch) {
    constexpr int lanes = Lanes<T>::count;
    for (std::size_t c = 0; c < width; ++c) {
        Vector<T> values[parts];
        for (int i = 0; i < parts; ++i) values[i] = load<T>(packed + c * pitch + i * lanes);
        for (std::size_t b = 0; b < c; ++b) {
            const Vector<T> entry = splat<T>(corner.columns[b * block + c]);
            for (int i = 0; i < parts; ++i) {
                values[i] -= entry * load<T>(packed + b * pitch + i * lanes);
            }
        }
        const Vector<T> inverse = splat<T>(corner.inverse[c]);
        for (int i = 0; i < parts; ++i)
            store<T>(packed + c * pitch + i * lanes, values[i] * inverse);
    }
}

template <class T>
static inline void solve_one(const Corner<T>& corner, T* packed, std::size_t width,
                             std::size_t pitch) {
    for (std::size_t c = 0; c < width; ++c) {
        T value = packed[c * pitch];
        for (std::size_t b = 0; b < c; ++b)
            value -= corner.columns[b * block + c] * packed[b * pitch];
        packed[c * pitch] = value * corner.inverse[c];
    }
}

// Finishes columns [k, k + width) of the rows below the corner, and leaves them in `packed`, where
// the rows lie side by side.
template <class T>
static void finish_columns(T* a, std::size_t stride, std::size_t n, std::size_t k,
                           std::size_t width, const Corner<T>& corner, T* packed) {
    constexpr std::size_t lanes = Lanes<T>::count, four = 4 * lanes;
    const std::size_t first = k + width, count = n - first, pitch = n;
    for (std::size_t i = 0; i < count; ++i) {
        const T* row = a + (first + i) * stride + k;
        for (std::size_t c = 0; c < width; ++c) packed[c * pitch + i] = row[c];
    }
    std::size_t i = 0;
    for (; i + four <= count; i += four) solve_lanes<T, 4>(corner, packed + i, width, pitch);
    for (; i + lanes <= count; i += lanes) solve_lanes<T, 1>(corner, packed + i, width, pitch);
    for (; i < count; ++i) solve_one(corner, packed + i, width, pitch);
    for (i = 0; i < count; ++i) {
        T* row = a + (first + i) * stride + k;
        for (std::size_t c = 0; c < width; ++c) row[c] = packed[c * pitch + i];
    }
}

// a[i][j] -= sum_c left[i][c] packed[c][j] for a tile of rows and columns.
template <class T, std::size_t rows>
static inline void subtract_tile(T* a, std::size_t stride, const T* left, const T* packed,
                                 std::size_t width, std::size_t pitch) {
    constexpr int lanes = Lanes<T>::count;
    Vector<T> sums[rows][2];
    for (std::size_t r = 0; r < rows; ++r) sums[r][0] = sums[r][1] = Vector<T>{};
    for (std::size_t c = 0; c < width; ++c) {
        const Vector<T> b0 = load<T>(packed + c * pitch);
        const Vector<T> b1 = load<T>(packed + c * pitch + lanes);
        for (std::size_t r = 0; r < rows; ++r) {
            const Vector<T> x = splat<T>(left[r * stride + c]);
            sums[r][0] += x * b0;
            sums[r][1] += x * b1;
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        T* row = a + r * stride;
        store<T>(row, load<T>(row) - sums[r][0]);
        store<T>(row + lanes, load<T>(row + lanes) - sums[r][1]);
    }
}

// The lower triangle of rows and columns [first, n) loses the product of the finished columns.
// Tiles may reach above the diagonal, where nothing is read.
template <class T>
static void subtract_columns(T* a, std::size_t stride, std::size_t n, std::size_t k,
                             std::size_t width, const T* packed) {
    constexpr std::size_t tile_columns = 2 * Lanes<T>::count;
    const std::size_t first = k + width, pitch = n;
    for (std::size_t i = first; i < n; i += tile_rows) {
        const std::size_t rows = n - i < tile_rows ? n - i : tile_rows;
        const T* left = a + i * stride + k;
        for (std::size_t j = first; j < i + rows; j += tile_columns) {
            T* corner = a + i * stride + j;
            if (rows == tile_rows && j + tile_columns <= n) {
                subtract_tile<T, tile_rows>(corner, stride, left, packed + (j - first), width,
                                            pitch);
                continue;
            }
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t end = j + tile_columns < n ? j + tile_columns : n;
                for (std::size_t e = j; e < end; ++e) {
                    T sum = 0;
                    for (std::size_t c = 0; c < width; ++c) {
                        sum += left[r * stride + c] * packed[c * pitch + (e - first)];
                    }
                    corner[r * stride + (e - j)] -= sum;
                }
            }
        }
    }
}

template <class T>
static bool cholesky(T* a, std::size_t stride, std::size_t n, T* packed) {
    for (std::size_t k = 0; k < n; k += block) {
        const std::size_t width = n - k < block ? n - k : block;
        Corner<T> corner;
        if (!factor_corner(a, stride, k, width, corner)) return false;
        finish_columns(a, stride, n, k, width, corner, packed);
        subtract_columns(a, stride, n, k, width, packed);
    }
    return true;
}

template <class T>
static void solve_lower(const T* factor, std::size_t stride, std::size_t n, T* x) {
    for (std::size_t i = 0; i < n; ++i) {
        const T* row = factor + i * stride;
        x[i] = (x[i] - inner_product(row, x, i)) / row[i];
    }
}

template <class T>
static void solve_upper(const T* factor, std::size_t stride, std::size_t n, T* x) {
    constexpr std::size_t lanes = Lanes<T>::count;
    for (std::size_t i = n; i-- > 0;) {
        const T* row = factor + i * stride;
        x[i] /= row[i];
        const Vector<T> solved = splat<T>(x[i]);
        std::size_t j = 0;
        for (; j + lanes <= i; j += lanes) {
            store<T>(x + j, load<T>(x + j) - solved * load<T>(row + j));
        }
        for (; j < i; ++j) x[j] -= x[i] * row[j];
    }
}

template <class T>
static constexpr FactorFunctions<T> factor_functions = {
    block, cholesky<T>, append<T>, solve_rows<T>, solve_lower<T>, solve_upper<T>, inner_product<T>};

extern const FactorFunctions<float> factor_single;
extern const FactorFunctions<double> factor_full;
const FactorFunctions<float> factor_single = factor_functions<float>;
const FactorFunctions<double> factor_full = factor_functions<double>;

}  // namespace MERCER_ISA
}  // namespace mercer
