// Cholesky factor of a small dense matrix, row by row in the lower triangle.
#pragma once

#include <cstddef>
#include <vector>

namespace mercer {

// Inner product, summed in four parts that do not wait for each other.
inline double dot(const double* a, const double* b, std::size_t size) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    std::size_t k = 0;
    for (; k + 4 <= size; k += 4) {
        for (std::size_t i = 0; i < 4; ++i) sums[i] += a[k + i] * b[k + i];
    }
    for (; k < size; ++k) sums[0] += a[k] * b[k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return dot(a.data(), b.data(), a.size());
}

template <class T>
class Cholesky {
  public:
    // Factorizes the lower triangle of `matrix` (size x size, rows of that length).
    // is_positive() is false if a pivot is not positive; the factor is then unusable.
    Cholesky(std::vector<T> matrix, std::size_t size);

    bool is_positive() const { return positive_; }
    // x <- matrix^-1 x, to the precision of the factor
    void solve(std::vector<double>& x) const;

  private:
    std::vector<T> factor_;
    std::size_t size_;
    bool positive_ = true;
};

}  // namespace mercer
