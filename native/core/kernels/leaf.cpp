// Built-in kernels of packed rows.

#include <algorithm>
#include <numeric>

#include "core/denormals.hpp"
#include "core/kernel.hpp"

namespace mercer {

namespace {

template <class T>
const LeafFunctions<T>& functions() {
    return leaf_functions<T>(instruction_set());
}

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
    double work() const override { return right_->work(); }
    void left_diagonal(double* out) const override { leaf_diagonal(leaf_, *left_, out); }
    void right_diagonal(double* out) const override { leaf_diagonal(leaf_, *right_, out); }
    bool has_fast_product() const override { return leaf_.kind == LeafKind::linear; }

  protected:
    // sum_r w_r <x_r, z> = <sum_r w_r x_r, z>: of a linear kernel no value is needed.
    void linear_product(Indices left, const double* weights, std::size_t n_columns,
                        std::size_t first, std::size_t last, double* out,
                        std::size_t stride) const {
        std::vector<double> direction(left_->n_features());
        for (std::size_t c = 0; c < n_columns; ++c) {
            std::ranges::fill(direction, 0.0);
            for (std::size_t r = 0; r < left.size(); ++r) {
                left_->add_row(left[r], weights[r * n_columns + c], direction.data());
            }
            right_->add_inner_products(direction.data(), first, last, out + c * stride);
        }
    }

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
        if (this->has_fast_product()) {
            return this->linear_product(left, weights, n_columns, first, last, out, stride);
        }
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

    // Left rows are laid out once for all columns; columns come in tiles that stay in the cache.
    void product(Indices left, const double* weights, std::size_t n_columns, std::size_t first,
                 std::size_t last, double* out, std::size_t stride) const override {
        const FlushDenormals flush;
        if (this->has_fast_product()) {
            return this->linear_product(left, weights, n_columns, first, last, out, stride);
        }
        constexpr std::size_t tile = 256;
        const bool one_norms = leaf_.kind == LeafKind::laplacian;
        // Whole blocks for both layouts: the order of summation is that of dense rows.
        const std::size_t batch = std::lcm(functions<T>().sparse_height, functions<T>().left_height);
        Buffer<T> block(batch * tile);
        std::vector<const T*> row(batch);
        for (std::size_t r = 0; r < batch; ++r) row[r] = &block[r * tile];
        for (std::size_t i = 0; i < left.size(); i += batch) {
            const Indices some = left.subspan(i, std::min(batch, left.size() - i));
            const typename Rows<T>::Left rows(*left_, some, one_norms);
            const std::vector<T> w(weights + i * n_columns,
                                   weights + (i + some.size()) * n_columns);
            for (std::size_t j = first; j < last; j += tile) {
                const std::size_t width = std::min(tile, last - j);
                functions<T>().sparse_values(leaf_, rows.view(), right_->sparse(one_norms), j,
                                             j + width, block.data(), tile);
                functions<T>().add_product(row.data(), some.size(), width, w.data(), n_columns,
                                           out + (j - first), stride);
            }
        }
    }
};

}  // namespace

template <class T>
KernelPointer<T> make_leaf(const LeafParameters& leaf, RowsPointer<T> left, RowsPointer<T> right) {
    if (left->is_sparse()) {
        return std::make_shared<SparseLeaf<T>>(leaf, std::move(left), std::move(right));
    }
    return std::make_shared<DenseLeaf<T>>(leaf, std::move(left), std::move(right));
}

template KernelPointer<float> make_leaf(const LeafParameters&, RowsPointer<float>,
                                        RowsPointer<float>);
template KernelPointer<double> make_leaf(const LeafParameters&, RowsPointer<double>,
                                         RowsPointer<double>);

}  // namespace mercer
