#include "core/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/denormals.hpp"

namespace mercer {

namespace {

template <class T>
const LeafFunctions<T>& functions() {
    return leaf_functions<T>(instruction_set());
}

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

}  // namespace

// Blocks of bounded size; a whole number of left blocks each, so that the order of summation is
// that of the fused product.
template <class T>
void Kernel<T>::product(Indices left, const double* weights, std::size_t n_columns,
                        std::size_t first, std::size_t last, double* out,
                        std::size_t stride) const {
    constexpr std::size_t columns = 512;
    const std::size_t rows = 8 * functions<T>().left_height;
    Buffer<T> block(rows * columns);
    const std::vector<T> w(weights, weights + left.size() * n_columns);
    for (std::size_t j = first; j < last; j += columns) {
        const std::size_t width = std::min(columns, last - j);
        for (std::size_t i = 0; i < left.size(); i += rows) {
            const std::size_t height = std::min(rows, left.size() - i);
            values(left.subspan(i, height), j, j + width, block.data(), width);
            functions<T>().add_product(block.data(), width, height, width, &w[i * n_columns],
                                       n_columns, out + (j - first), stride);
        }
    }
}

template class Kernel<float>;
template class Kernel<double>;

namespace {

// k(x, x) of a leaf from the squared norms of the rows.
template <class T>
void leaf_diagonal(const LeafParameters& leaf, const Rows<T>& rows, double* out) {
    const FlushDenormals flush;
    std::vector<T> values(rows.size());
    functions<T>().diagonal(leaf, rows.squared_norms(), values.data(), rows.size());
    std::ranges::copy(values, out);
}

template <class T>
class LeafKernel : public Kernel<T> {
  public:
    LeafKernel(const LeafParameters& leaf, RowsPointer<T> left, RowsPointer<T> right)
        : leaf_(leaf), left_(std::move(left)), right_(std::move(right)) {}

    std::size_t n_left() const override { return left_->size(); }
    std::size_t n_right() const override { return right_->size(); }
    void left_diagonal(double* out) const override { leaf_diagonal(leaf_, *left_, out); }
    void right_diagonal(double* out) const override { leaf_diagonal(leaf_, *right_, out); }

  protected:
    LeafParameters leaf_;
    RowsPointer<T> left_, right_;
};

template <class T>
class DenseLeaf final : public LeafKernel<T> {
    using LeafKernel<T>::leaf_;
    using LeafKernel<T>::left_;
    using LeafKernel<T>::right_;

  public:
    using LeafKernel<T>::LeafKernel;

    KernelPointer<T> with_right(Indices right) const override {
        return std::make_shared<DenseLeaf>(leaf_, left_, std::make_shared<Rows<T>>(*right_, right));
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        const FlushDenormals flush;
        const typename Rows<T>::Left rows(*left_, left, false);
        by_panels(first, last, [&](std::size_t panel, std::size_t panel_end, std::size_t skip,
                                   std::size_t count, std::size_t at) {
            const std::size_t width = functions<T>().panel_width;
            if (count == (panel_end - panel) * width) {
                functions<T>().values(leaf_, rows.view(), right_->panels(), panel, panel_end,
                                      out + at, stride);
                return;
            }
            Buffer<T> edge(left.size() * width);
            functions<T>().values(leaf_, rows.view(), right_->panels(), panel, panel_end,
                                  edge.data(), width);
            for (std::size_t r = 0; r < left.size(); ++r) {
                std::copy_n(&edge[r * width + skip], count, out + r * stride + at);
            }
        });
    }

    void product(Indices left, const double* weights, std::size_t n_columns, std::size_t first,
                 std::size_t last, double* out, std::size_t stride) const override {
        const FlushDenormals flush;
        // Left rows are visited in batches so that the copy of them stays small.
        const std::size_t batch = 160 * functions<T>().left_height;
        const std::size_t width = functions<T>().panel_width;
        for (std::size_t i = 0; i < left.size(); i += batch) {
            const Indices some = left.subspan(i, std::min(batch, left.size() - i));
            const typename Rows<T>::Left rows(*left_, some, false);
            const std::vector<T> w(weights + i * n_columns,
                                   weights + (i + some.size()) * n_columns);
            by_panels(first, last, [&](std::size_t panel, std::size_t panel_end, std::size_t skip,
                                       std::size_t count, std::size_t at) {
                if (count == (panel_end - panel) * width) {
                    functions<T>().product(leaf_, rows.view(), right_->panels(), panel, panel_end,
                                           w.data(), n_columns, out + at, stride);
                    return;
                }
                // The sums so far go on in the copy: added up apart they would round otherwise.
                std::vector<double> edge(n_columns * width, 0.0);
                for (std::size_t c = 0; c < n_columns; ++c) {
                    std::copy_n(out + c * stride + at, count, &edge[c * width + skip]);
                }
                functions<T>().product(leaf_, rows.view(), right_->panels(), panel, panel_end,
                                       w.data(), n_columns, edge.data(), width);
                for (std::size_t c = 0; c < n_columns; ++c) {
                    std::copy_n(&edge[c * width + skip], count, out + c * stride + at);
                }
            });
        }
    }

  private:
    // Cuts [first, last) at panel boundaries: visit(panel, panel_end, skip, count, at) covers
    // `count` rows of the panels, `skip` rows into the first, that go to position `at`. Whole
    // panels come together, partial ones alone.
    template <class Visit>
    void by_panels(std::size_t first, std::size_t last, const Visit& visit) const {
        const std::size_t width = functions<T>().panel_width;
        std::size_t j = first;
        while (j < last) {
            const std::size_t panel = j / width, skip = j % width;
            if (skip == 0 && last - j >= width) {
                const std::size_t whole = (last - j) / width;
                visit(panel, panel + whole, 0, whole * width, j - first);
                j += whole * width;
            } else {
                const std::size_t count = std::min(width - skip, last - j);
                visit(panel, panel + 1, skip, count, j - first);
                j += count;
            }
        }
    }
};

template <class T>
class SparseLeaf final : public LeafKernel<T> {
    using LeafKernel<T>::leaf_;
    using LeafKernel<T>::left_;
    using LeafKernel<T>::right_;

  public:
    using LeafKernel<T>::LeafKernel;

    KernelPointer<T> with_right(Indices right) const override {
        return std::make_shared<SparseLeaf>(leaf_, left_,
                                            std::make_shared<Rows<T>>(*right_, right));
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        const FlushDenormals flush;
        const bool one_norms = leaf_.kind == LeafKind::laplacian;
        const std::size_t batch = functions<T>().sparse_height;
        for (std::size_t i = 0; i < left.size(); i += batch) {
            const Indices some = left.subspan(i, std::min(batch, left.size() - i));
            const typename Rows<T>::Left rows(*left_, some, one_norms);
            functions<T>().sparse_values(leaf_, rows.view(), right_->sparse(one_norms), first, last,
                                         out + i * stride, stride);
        }
    }
};

template <class T, class S>
class StoredKernel final : public Kernel<T> {
  public:
    StoredKernel(const S* matrix, std::size_t n_left, std::size_t n_right, std::ptrdiff_t left_stride,
                 std::ptrdiff_t right_stride, std::vector<double> left_diagonal,
                 std::vector<double> right_diagonal, std::shared_ptr<const void> owner)
        : matrix_(matrix), n_left_(n_left), left_stride_(left_stride), right_stride_(right_stride),
          left_diagonal_(rounded<T>(std::move(left_diagonal))),
          right_diagonal_(rounded<T>(std::move(right_diagonal))), owner_(std::move(owner)), columns_(n_right) {
        std::iota(columns_.begin(), columns_.end(), std::size_t(0));
    }

    std::size_t n_left() const override { return n_left_; }
    std::size_t n_right() const override { return columns_.size(); }
    void left_diagonal(double* out) const override { std::ranges::copy(left_diagonal_, out); }
    void right_diagonal(double* out) const override { std::ranges::copy(right_diagonal_, out); }

    KernelPointer<T> with_right(Indices right) const override {
        auto copy = std::make_shared<StoredKernel>(*this);
        copy->columns_ = pick(columns_, right);
        copy->right_diagonal_ = pick(right_diagonal_, right);
        return copy;
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        for (std::size_t r = 0; r < left.size(); ++r) {
            const S* row = matrix_ + std::ptrdiff_t(left[r]) * left_stride_;
            for (std::size_t j = first; j < last; ++j) {
                out[r * stride + j - first] = T(row[std::ptrdiff_t(columns_[j]) * right_stride_]);
            }
        }
    }

  private:
    const S* matrix_;
    std::size_t n_left_;
    std::ptrdiff_t left_stride_, right_stride_;
    std::vector<double> left_diagonal_, right_diagonal_;
    std::shared_ptr<const void> owner_;
    std::vector<std::size_t> columns_;
};

template <class T>
class OpaqueKernel final : public Kernel<T> {
  public:
    OpaqueKernel(BlockFunction block, std::vector<double> left_diagonal,
                 std::vector<double> right_diagonal)
        : block_(std::move(block)), left_diagonal_(rounded<T>(std::move(left_diagonal))),
          right_diagonal_(rounded<T>(std::move(right_diagonal))),
          columns_(right_diagonal_.size()) {
        std::iota(columns_.begin(), columns_.end(), std::size_t(0));
    }

    std::size_t n_left() const override { return left_diagonal_.size(); }
    std::size_t n_right() const override { return columns_.size(); }
    void left_diagonal(double* out) const override { std::ranges::copy(left_diagonal_, out); }
    void right_diagonal(double* out) const override { std::ranges::copy(right_diagonal_, out); }
    bool is_parallel() const override { return false; }
    std::size_t rows_at_once() const override { return 16; }

    KernelPointer<T> with_right(Indices right) const override {
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
    void left_diagonal(double* out) const override { std::fill_n(out, n_left_, double(value_)); }
    void right_diagonal(double* out) const override { std::fill_n(out, n_right_, double(value_)); }

    KernelPointer<T> with_right(Indices right) const override {
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

// Folds the parts with Combine, entry by entry, from the first part to the last.
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

    KernelPointer<T> with_right(Indices right) const override {
        std::vector<KernelPointer<T>> parts;
        for (const auto& part : parts_) parts.push_back(part->with_right(right));
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

    KernelPointer<T> with_right(Indices right) const override {
        return std::make_shared<NormalizedKernel>(part_->with_right(right));
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
KernelPointer<T> make_leaf(const LeafParameters& leaf, RowsPointer<T> left, RowsPointer<T> right) {
    if (left->is_sparse()) {
        return std::make_shared<SparseLeaf<T>>(leaf, std::move(left), std::move(right));
    }
    return std::make_shared<DenseLeaf<T>>(leaf, std::move(left), std::move(right));
}

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

#define MERCER_INSTANTIATE(T)                                                                     \
    template KernelPointer<T> make_leaf(const LeafParameters&, RowsPointer<T>, RowsPointer<T>);   \
    template KernelPointer<T> make_stored<T, float>(                                              \
        const float*, std::size_t, std::size_t, std::ptrdiff_t, std::ptrdiff_t,                   \
        std::vector<double>, std::vector<double>, std::shared_ptr<const void>);                   \
    template KernelPointer<T> make_stored<T, double>(                                             \
        const double*, std::size_t, std::size_t, std::ptrdiff_t, std::ptrdiff_t,                  \
        std::vector<double>, std::vector<double>, std::shared_ptr<const void>);                   \
    template KernelPointer<T> make_opaque(BlockFunction, std::vector<double>, std::vector<double>); \
    template KernelPointer<T> make_constant(double, std::size_t, std::size_t);                    \
    template KernelPointer<T> make_sum(std::vector<KernelPointer<T>>);                            \
    template KernelPointer<T> make_product(std::vector<KernelPointer<T>>);                        \
    template KernelPointer<T> make_normalized(KernelPointer<T>);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
