#include "core/cholesky.hpp"

#include <cmath>

namespace mercer {

// Right-looking: after column k is final it is subtracted from what remains, along rows, so that
// the inner loop is contiguous and needs no reordering of sums.
Cholesky::Cholesky(std::vector<double> matrix, std::size_t size)
    : factor_(std::move(matrix)), size_(size) {
    std::vector<double> column(size);
    for (std::size_t k = 0; k < size && positive_; ++k) {
        const double pivot = factor_[k * size + k];
        positive_ = pivot > 0.0;
        if (!positive_) return;
        const double root = std::sqrt(pivot);
        for (std::size_t i = k; i < size; ++i) {
            column[i] = factor_[i * size + k] / root;
            factor_[i * size + k] = column[i];
        }
        for (std::size_t i = k + 1; i < size; ++i) {
            double* row = factor_.data() + i * size;
            const double scale = column[i];
            for (std::size_t j = k + 1; j <= i; ++j) row[j] -= scale * column[j];
        }
    }
}

void Cholesky::solve(std::vector<double>& x) const {
    for (std::size_t i = 0; i < size_; ++i) {
        const double* row = factor_.data() + i * size_;
        double sum = x[i];
        for (std::size_t j = 0; j < i; ++j) sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
    for (std::size_t i = size_; i-- > 0;) {
        const double* row = factor_.data() + i * size_;
        x[i] /= row[i];
        for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * x[i];
    }
}

}  // namespace mercer
