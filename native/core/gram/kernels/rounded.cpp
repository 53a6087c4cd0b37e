// Kernel values computed in double precision and stored in single.
//
// Distances between rows far from each other lose their digits in single precision, the kernel
// values that are made of them do not: a matrix of them takes half the memory.

#include <algorithm>

#include "core/gram/kernel.hpp"

namespace mercer {

namespace {

class RoundedKernel final : public Kernel<float> {
  public:
    explicit RoundedKernel(KernelPointer<double> part) : part_(std::move(part)) {}

    std::size_t n_left() const override { return part_->n_left(); }
    std::size_t n_right() const override { return part_->n_right(); }
    bool is_parallel() const override { return part_->is_parallel(); }
    std::size_t rows_at_once() const override { return part_->rows_at_once(); }
    double work() const override { return 2.0 * part_->work(); }

    void left_diagonal(double* out) const override {
        part_->left_diagonal(out);
        round(out, n_left());
    }
    void right_diagonal(double* out) const override {
        part_->right_diagonal(out);
        round(out, n_right());
    }

    KernelPointer<float> with_right(Indices right, ThreadPool* threads) const override {
        return std::make_shared<RoundedKernel>(part_->with_right(right, threads));
    }

    void values(Indices left, std::size_t first, std::size_t last, float* out,
                std::size_t stride) const override {
        ready(left)(first, last, out, stride);
    }

    RowValues<float> ready(Indices left) const override {
        return [exact = part_->ready(left), height = left.size()](
                   std::size_t first, std::size_t last, float* out, std::size_t stride) {
            const std::size_t width = last - first;
            Buffer<double> block(height * width);
            exact(first, last, block.data(), width);
            for (std::size_t r = 0; r < height; ++r) {
                const double* from = &block[r * width];
                std::transform(from, from + width, out + r * stride,
                               [](double value) { return float(value); });
            }
        };
    }

  private:
    static void round(double* values, std::size_t count) {
        std::transform(values, values + count, values,
                       [](double value) { return double(float(value)); });
    }

    KernelPointer<double> part_;
};

}  // namespace

KernelPointer<float> make_rounded(KernelPointer<double> part) {
    return std::make_shared<RoundedKernel>(std::move(part));
}

}  // namespace mercer
