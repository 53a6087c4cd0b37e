#include "core/base/cholesky.hpp"

#include <algorithm>

#include "simd/instruction_set.hpp"

namespace mercer {

template <class T>
Cholesky<T>::Cholesky(std::vector<T> matrix, std::size_t size)
    : factor_(std::move(matrix)), size_(size) {
    const FactorFunctions<T>& functions = instruction_set().factor.of<T>();
    std::vector<T> packed(functions.block * size);
    positive_ = functions.cholesky(factor_.data(), size, size, packed.data());
}

template <class T>
void Cholesky<T>::solve(std::vector<double>& x) const {
    std::vector<T> rounded(x.begin(), x.end());
    const FactorFunctions<T>& functions = instruction_set().factor.of<T>();
    functions.solve_lower(factor_.data(), size_, size_, rounded.data());
    functions.solve_upper(factor_.data(), size_, size_, rounded.data());
    std::ranges::copy(rounded, x.begin());
}

template class Cholesky<float>;
template class Cholesky<double>;

}  // namespace mercer
