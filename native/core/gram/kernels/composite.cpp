// Kernels made of other kernels, entry by entry.

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/gram/kernel.hpp"

namespace mercer {

namespace {

template <class T, class Combine>
class FoldKernel final : public Kernel<T> {
  public:
    explicit FoldKernel(std::vector<KernelPointer<T>> parts) : parts_(std::move(parts)) {}

    std::size_t n_left() const override { return parts_[0]->n_left(); }
    std::size_t n_right() const override { return parts_[0]->n_right(); }
    void left_diagonal(double* out) const override {
        fold(out, n_left(), [](const Kernel<T>& part, double* to) { part.left_diagonal(to); });
    }
    void right_diagonal(double* out) const override {
        fold(out, n_right(), [](const Kernel<T>& part, double* to) { part.right_diagonal(to); });
    }
    bool is_parallel() const override {
        return std::ranges::all_of(parts_, [](const auto& part) { return part->is_parallel(); });
    }
    std::size_t rows_at_once() const override {
        std::size_t most = 1;
        for (const auto& part : parts_) most = std::max(most, part->rows_at_once());
        return most;
    }
    double work() const override {
        double sum = 0.0;
        for (const auto& part : parts_) sum += part->work();
        return sum;
    }

    KernelPointer<T> with_right(Indices right, ThreadPool* threads) const override {
        std::vector<KernelPointer<T>> parts;
        for (const auto& part : parts_) parts.push_back(part->with_right(right, threads));
        return std::make_shared<FoldKernel>(std::move(parts));
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        parts_[0]->values(left, first, last, out, stride);
        const std::size_t width = last - first;
        Buffer<T> block(checked_product(left.size(), width));
        for (std::size_t p = 1; p < parts_.size(); ++p) {
            parts_[p]->values(left, first, last, block.data(), width);
            for (std::size_t r = 0; r < left.size(); ++r) {
                for (std::size_t c = 0; c < width; ++c) {
                    T& value = out[r * stride + c];
                    value = T(Combine()(value, block[r * width + c]));
                }
            }
        }
    }

  private:
    // Rounded to T after each part, as the values are.
    template <class Diagonal>
    void fold(double* out, std::size_t count, const Diagonal& diagonal) const {
        std::vector<double> other(count);
        diagonal(*parts_[0], out);
        for (std::size_t p = 1; p < parts_.size(); ++p) {
            diagonal(*parts_[p], other.data());
            for (std::size_t i = 0; i < count; ++i) out[i] = T(Combine()(T(out[i]), T(other[i])));
        }
    }

    std::vector<KernelPointer<T>> parts_;
};

template <class T>
class NormalizedKernel final : public Kernel<T> {
  public:
    explicit NormalizedKernel(KernelPointer<T> part)
        : part_(std::move(part)), left_(part_->n_left()), right_(part_->n_right()) {
        part_->left_diagonal(left_.data());
        part_->right_diagonal(right_.data());
        for (auto* side : {&left_, &right_}) {
            for (double& value : *side) value = value > 0 ? 1.0 / std::sqrt(value) : 0.0;
        }
    }

    std::size_t n_left() const override { return part_->n_left(); }
    std::size_t n_right() const override { return part_->n_right(); }
    void left_diagonal(double* out) const override { std::fill_n(out, n_left(), 1.0); }
    void right_diagonal(double* out) const override { std::fill_n(out, n_right(), 1.0); }
    bool is_parallel() const override { return part_->is_parallel(); }
    std::size_t rows_at_once() const override { return part_->rows_at_once(); }
    double work() const override { return part_->work(); }

    KernelPointer<T> with_right(Indices right, ThreadPool* threads) const override {
        return std::make_shared<NormalizedKernel>(part_->with_right(right, threads));
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        part_->values(left, first, last, out, stride);
        for (std::size_t r = 0; r < left.size(); ++r) {
            for (std::size_t j = first; j < last; ++j) {
                T& value = out[r * stride + j - first];
                const double a = left_[left[r]], b = right_[j];
                // Rows without length are alike and unlike all others.
                value = a == 0.0 && b == 0.0 ? T(1) : T(double(value) * (a * b));
            }
        }
    }

  private:
    KernelPointer<T> part_;
    std::vector<double> left_, right_;  // 1 / sqrt(k(x, x)), 0 where that is not positive
};

}  // namespace

template <class T>
KernelPointer<T> make_sum(std::vector<KernelPointer<T>> parts) {
    return std::make_shared<FoldKernel<T, std::plus<T>>>(std::move(parts));
}

template <class T>
KernelPointer<T> make_product(std::vector<KernelPointer<T>> parts) {
    return std::make_shared<FoldKernel<T, std::multiplies<T>>>(std::move(parts));
}

template <class T>
KernelPointer<T> make_normalized(KernelPointer<T> part) {
    return std::make_shared<NormalizedKernel<T>>(std::move(part));
}

#define MERCER_INSTANTIATE(T)                                              \
    template KernelPointer<T> make_sum(std::vector<KernelPointer<T>>);     \
    template KernelPointer<T> make_product(std::vector<KernelPointer<T>>); \
    template KernelPointer<T> make_normalized(KernelPointer<T>);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
