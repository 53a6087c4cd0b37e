#include "core/gram/kernel.hpp"

#include <algorithm>

#include "simd/instruction_set.hpp"

namespace mercer {

template <class T>
RowValues<T> Kernel<T>::ready(Indices left) const {
    return [this, left](std::size_t first, std::size_t last, T* out, std::size_t stride) {
        values(left, first, last, out, stride);
    };
}

// Blocks of bounded size; a whole number of left blocks each, so that the order of summation is
// that of the fused product.
template <class T>
void Kernel<T>::product(Indices left, const double* weights, std::size_t n_columns,
                        std::size_t first, std::size_t last, double* out, std::size_t stride,
                        ThreadPool* threads) const {
    constexpr std::size_t columns = 512;
    const MicroKernels<T>& functions = instruction_set().micro_kernels.of<T>();
    const std::size_t rows = 8 * functions.left_height;
    const std::vector<T> w(weights, weights + left.size() * n_columns);
    share_columns(threads, last - first, [&](std::size_t begin, std::size_t end) {
        Buffer<T> block(rows * columns);
        std::vector<const T*> row(rows);
        for (std::size_t j = begin; j < end; j += columns) {
            const std::size_t width = std::min(columns, end - j);
            for (std::size_t i = 0; i < left.size(); i += rows) {
                const std::size_t height = std::min(rows, left.size() - i);
                values(left.subspan(i, height), first + j, first + j + width, block.data(), width);
                for (std::size_t r = 0; r < height; ++r) row[r] = &block[r * width];
                functions.add_product(row.data(), height, width, &w[i * n_columns], n_columns,
                                      out + j, stride);
            }
        }
    });
}

template class Kernel<float>;
template class Kernel<double>;

}  // namespace mercer
