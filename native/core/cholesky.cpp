#include "core/cholesky.hpp"

#include "simd/leaf.hpp"

namespace mercer {

Cholesky::Cholesky(std::vector<double> matrix, std::size_t size)
    : factor_(std::move(matrix)), size_(size) {
    const FactorFunctions& functions = *instruction_set().factor;
    std::vector<double> packed(functions.block * size);
    positive_ = functions.cholesky(factor_.data(), size, packed.data());
}

void Cholesky::solve(std::vector<double>& x) const {
    for (std::size_t i = 0; i < size_; ++i) {
        const double* row = factor_.data() + i * size_;
        x[i] = (x[i] - dot(row, x.data(), i)) / row[i];
    }
    for (std::size_t i = size_; i-- > 0;) {
        const double* row = factor_.data() + i * size_;
        x[i] /= row[i];
        for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * x[i];
    }
}

}  // namespace mercer
