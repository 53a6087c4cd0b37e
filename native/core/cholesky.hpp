// Cholesky factor of a small dense matrix, row by row in the lower triangle.
#pragma once

#include <cstddef>
#include <vector>

namespace mercer {

class Cholesky {
  public:
    // Factorizes the lower triangle of `matrix` (size x size, rows of that length).
    // is_positive() is false if a pivot is not positive; the factor is then unusable.
    Cholesky(std::vector<double> matrix, std::size_t size);

    bool is_positive() const { return positive_; }
    // x <- matrix^-1 x
    void solve(std::vector<double>& x) const;

  private:
    std::vector<double> factor_;
    std::size_t size_;
    bool positive_ = true;
};

}  // namespace mercer
