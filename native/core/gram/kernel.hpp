// Kernel values between a set of rows on the left and a set of rows on the right.
//
// A tree: leaves read rows, a stored matrix or a Python function; inner nodes combine the values
// of their parts entry by entry. Values never depend on which block they were computed in.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/threads.hpp"
#include "core/gram/byte_rows.hpp"
#include "core/gram/rows.hpp"

namespace mercer {

using Indices = std::span<const std::size_t>;

// Kernel values of some left rows: (first, last, out, stride) as in Kernel::values.
template <class T>
using RowValues =
    std::function<void(std::size_t first, std::size_t last, T* out, std::size_t stride)>;

template <class T>
class Kernel {
  public:
    virtual ~Kernel() = default;

    virtual std::size_t n_left() const = 0;
    virtual std::size_t n_right() const = 0;

    // out[r * stride + j - first] = k(left[r], right j) for j in [first, last)
    virtual void values(Indices left, std::size_t first, std::size_t last, T* out,
                        std::size_t stride) const = 0;

    // The same of left rows that are asked for several times, made ready once. The kernel and
    // `left` must outlive it.
    virtual RowValues<T> ready(Indices left) const;

    // out[c * stride + j - first] += sum_r k(left[r], right j) weights[r * n_columns + c]
    // `threads` share the columns, null: there are none; what the left rows need is made ready
    // once.
    virtual void product(Indices left, const double* weights, std::size_t n_columns,
                         std::size_t first, std::size_t last, double* out, std::size_t stride,
                         ThreadPool* threads = nullptr) const;

    // k(x, x) of every row of a side, rounded as the values are.
    virtual void left_diagonal(double* out) const = 0;
    virtual void right_diagonal(double* out) const = 0;

    // The same kernel with only the rows `right` on the right; `threads` share the work, null:
    // there are none.
    virtual std::shared_ptr<const Kernel> with_right(Indices right, ThreadPool* threads) const = 0;

    // Whether `values` may be called from several threads at once.
    virtual bool is_parallel() const { return true; }
    // Whether `product` is cheaper than the values it sums.
    virtual bool has_fast_product() const { return false; }
    // How many rows are best asked for together.
    virtual std::size_t rows_at_once() const { return 1; }
    // What a value costs, in multiplications of long dense rows, roughly.
    virtual double work() const = 0;
};

// Calls work(begin, end) on parts of [0, count), by threads where there are some.
inline void share_columns(ThreadPool* threads, std::size_t count, const ThreadPool::Range& work) {
    constexpr std::size_t grain = 128;  // a few panels
    threads ? threads->parallel_for(count, grain, work) : work(0, count);
}

template <class T>
using KernelPointer = std::shared_ptr<const Kernel<T>>;
template <class T>
using RowsPointer = std::shared_ptr<const Rows<T>>;

// Of sparse rows, a gaussian or laplacian may be asked for `by_differences` too.
template <class T>
KernelPointer<T> make_leaf(LeafParameters leaf, RowsPointer<T> left, RowsPointer<T> right,
                           bool by_differences = false);

// S: std::uint8_t or std::int8_t
// requires: a kernel of inner products: all kinds but laplacian
template <class T, class S>
KernelPointer<T> make_byte_leaf(const LeafParameters& leaf, std::shared_ptr<const ByteRows<S>> left,
                                std::shared_ptr<const ByteRows<S>> right);

// k(left i, right j) = matrix[i * left_stride + j * right_stride]; `owner` keeps the matrix alive.
template <class T, class S>
KernelPointer<T> make_stored(const S* matrix, std::size_t n_left, std::size_t n_right,
                             std::ptrdiff_t left_stride, std::ptrdiff_t right_stride,
                             std::vector<double> left_diagonal, std::vector<double> right_diagonal,
                             std::shared_ptr<const void> owner);

// A function asked for blocks: block(left, right, out) fills out[r * right.size() + c].
using BlockFunction = std::function<void(Indices left, Indices right, double* out)>;
template <class T>
KernelPointer<T> make_opaque(BlockFunction block, std::vector<double> left_diagonal,
                             std::vector<double> right_diagonal);

template <class T>
KernelPointer<T> make_constant(double value, std::size_t n_left, std::size_t n_right);
template <class T>
KernelPointer<T> make_sum(std::vector<KernelPointer<T>> parts);
template <class T>
KernelPointer<T> make_product(std::vector<KernelPointer<T>> parts);
template <class T>
KernelPointer<T> make_normalized(KernelPointer<T> part);

// Values of `part`, rounded. requires: they lie in the range of single precision
KernelPointer<float> make_rounded(KernelPointer<double> part);

}  // namespace mercer
