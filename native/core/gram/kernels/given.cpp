// Kernel values that are given: by a stored matrix, by a function, by a constant.

#include <algorithm>
#include <numeric>

#include "core/gram/kernel.hpp"

namespace mercer {

namespace {

// k(x, x) given from outside, rounded as the values are.
template <class T>
std::vector<double> rounded(std::vector<double> diagonal) {
    for (double& value : diagonal) value = double(T(value));
    return diagonal;
}

template <class V>
std::vector<V> pick(const std::vector<V>& from, Indices index) {
    std::vector<V> out(index.size());
    std::transform(index.begin(), index.end(), out.begin(), [&](std::size_t i) { return from[i]; });
    return out;
}

template <class T, class S>
class StoredKernel final : public Kernel<T> {
  public:
    StoredKernel(const S* matrix, std::size_t n_left, std::size_t n_right,
                 std::ptrdiff_t left_stride, std::ptrdiff_t right_stride,
                 std::vector<double> left_diagonal, std::vector<double> right_diagonal,
                 std::shared_ptr<const void> owner)
        : matrix_(matrix), n_left_(n_left), left_stride_(left_stride), right_stride_(right_stride),
          left_diagonal_(rounded<T>(std::move(left_diagonal))),
          right_diagonal_(rounded<T>(std::move(right_diagonal))), owner_(std::move(owner)),
          columns_(n_right) {
        std::iota(columns_.begin(), columns_.end(), std::size_t(0));
    }

    std::size_t n_left() const override { return n_left_; }
    std::size_t n_right() const override { return columns_.size(); }
    double work() const override { return 1.0; }
    void left_diagonal(double* out) const override { std::ranges::copy(left_diagonal_, out); }
    void right_diagonal(double* out) const override { std::ranges::copy(right_diagonal_, out); }

    KernelPointer<T> with_right(Indices right, ThreadPool*) const override {
        auto copy = std::make_shared<StoredKernel>(*this);
        copy->columns_ = pick(columns_, right);
        copy->right_diagonal_ = pick(right_diagonal_, right);
        copy->is_whole_ = false;
        return copy;
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        for (std::size_t r = 0; r < left.size(); ++r) {
            const S* row = matrix_ + std::ptrdiff_t(left[r]) * left_stride_;
            T* to = out + r * stride;
            if (is_whole_ && right_stride_ == 1) {
                std::transform(row + first, row + last, to, [](S value) { return T(value); });
            } else {
                pick_values(row, Indices(columns_).subspan(first, last - first), to);
            }
        }
    }

  private:
    void pick_values(const S* row, Indices columns, T* to) const {
        if (right_stride_ == 1) {
            for (std::size_t j = 0; j < columns.size(); ++j) to[j] = T(row[columns[j]]);
        } else {
            for (std::size_t j = 0; j < columns.size(); ++j) {
                to[j] = T(row[std::ptrdiff_t(columns[j]) * right_stride_]);
            }
        }
    }

    const S* matrix_;
    std::size_t n_left_;
    std::ptrdiff_t left_stride_, right_stride_;
    std::vector<double> left_diagonal_, right_diagonal_;
    std::shared_ptr<const void> owner_;
    std::vector<std::size_t> columns_;
    bool is_whole_ = true;  // columns_ are all columns of the matrix, in their order
};

template <class T>
class OpaqueKernel final : public Kernel<T> {
  public:
    OpaqueKernel(BlockFunction block, std::vector<double> left_diagonal,
                 std::vector<double> right_diagonal)
        : block_(std::move(block)), left_diagonal_(rounded<T>(std::move(left_diagonal))),
          right_diagonal_(rounded<T>(std::move(right_diagonal))), columns_(right_diagonal_.size()) {
        std::iota(columns_.begin(), columns_.end(), std::size_t(0));
    }

    std::size_t n_left() const override { return left_diagonal_.size(); }
    std::size_t n_right() const override { return columns_.size(); }
    void left_diagonal(double* out) const override { std::ranges::copy(left_diagonal_, out); }
    void right_diagonal(double* out) const override { std::ranges::copy(right_diagonal_, out); }
    bool is_parallel() const override { return false; }
    std::size_t rows_at_once() const override { return 16; }
    double work() const override { return 1e6; }

    KernelPointer<T> with_right(Indices right, ThreadPool*) const override {
        auto copy = std::make_shared<OpaqueKernel>(*this);
        copy->columns_ = pick(columns_, right);
        copy->right_diagonal_ = pick(right_diagonal_, right);
        return copy;
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        const std::size_t width = last - first;
        Buffer<double> block(checked_product(left.size(), width));
        block_(left, Indices(columns_).subspan(first, width), block.data());
        for (std::size_t r = 0; r < left.size(); ++r) {
            for (std::size_t c = 0; c < width; ++c) out[r * stride + c] = T(block[r * width + c]);
        }
    }

  private:
    BlockFunction block_;
    std::vector<double> left_diagonal_, right_diagonal_;
    std::vector<std::size_t> columns_;
};

template <class T>
class ConstantKernel final : public Kernel<T> {
  public:
    ConstantKernel(double value, std::size_t n_left, std::size_t n_right)
        : value_(T(value)), n_left_(n_left), n_right_(n_right) {}

    std::size_t n_left() const override { return n_left_; }
    std::size_t n_right() const override { return n_right_; }
    double work() const override { return 0.0; }
    void left_diagonal(double* out) const override { std::fill_n(out, n_left_, double(value_)); }
    void right_diagonal(double* out) const override { std::fill_n(out, n_right_, double(value_)); }

    KernelPointer<T> with_right(Indices right, ThreadPool*) const override {
        return std::make_shared<ConstantKernel>(value_, n_left_, right.size());
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        for (std::size_t r = 0; r < left.size(); ++r) {
            std::fill_n(out + r * stride, last - first, value_);
        }
    }

  private:
    T value_;
    std::size_t n_left_, n_right_;
};

}  // namespace

template <class T, class S>
KernelPointer<T> make_stored(const S* matrix, std::size_t n_left, std::size_t n_right,
                             std::ptrdiff_t left_stride, std::ptrdiff_t right_stride,
                             std::vector<double> left_diagonal, std::vector<double> right_diagonal,
                             std::shared_ptr<const void> owner) {
    return std::make_shared<StoredKernel<T, S>>(matrix, n_left, n_right, left_stride, right_stride,
                                                std::move(left_diagonal), std::move(right_diagonal),
                                                std::move(owner));
}

template <class T>
KernelPointer<T> make_opaque(BlockFunction block, std::vector<double> left_diagonal,
                             std::vector<double> right_diagonal) {
    return std::make_shared<OpaqueKernel<T>>(std::move(block), std::move(left_diagonal),
                                             std::move(right_diagonal));
}

template <class T>
KernelPointer<T> make_constant(double value, std::size_t n_left, std::size_t n_right) {
    return std::make_shared<ConstantKernel<T>>(value, n_left, n_right);
}

#define MERCER_INSTANTIATE(T, S)                                                                 \
    template KernelPointer<T> make_stored<T, S>(                                                 \
        const S*, std::size_t, std::size_t, std::ptrdiff_t, std::ptrdiff_t, std::vector<double>, \
        std::vector<double>, std::shared_ptr<const void>);
MERCER_INSTANTIATE(float, float)
MERCER_INSTANTIATE(float, double)
MERCER_INSTANTIATE(double, float)
MERCER_INSTANTIATE(double, double)
#undef MERCER_INSTANTIATE

template KernelPointer<float> make_opaque(BlockFunction, std::vector<double>, std::vector<double>);
template KernelPointer<double> make_opaque(BlockFunction, std::vector<double>, std::vector<double>);
template KernelPointer<float> make_constant(double, std::size_t, std::size_t);
template KernelPointer<double> make_constant(double, std::size_t, std::size_t);

}  // namespace mercer
