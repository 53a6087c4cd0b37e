// Built-in kernels of packed rows.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/gram/kernels/merged_leaf.hpp"
#include "core/gram/kernels/panel_leaf.hpp"
#include "simd/instruction_set.hpp"

namespace mercer {

namespace {

template <class T>
class SparseLeaf final : public LeafKernel<T, Rows<T>> {
    using LeafKernel<T, Rows<T>>::leaf_;
    using LeafKernel<T, Rows<T>>::left_;
    using LeafKernel<T, Rows<T>>::right_;

  public:
    using LeafKernel<T, Rows<T>>::LeafKernel;

    KernelPointer<T> with_right(Indices right, ThreadPool* threads) const override {
        return std::make_shared<SparseLeaf>(leaf_, left_,
                                            std::make_shared<Rows<T>>(*right_, right, threads));
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        const FlushDenormals flush;
        const bool one_norms = takes_one_norms(leaf_.kind);
        const std::size_t batch = micro_kernels<T>().sparse_height;
        for (std::size_t i = 0; i < left.size(); i += batch) {
            const Indices some = left.subspan(i, std::min(batch, left.size() - i));
            const typename Rows<T>::Left rows(*left_, some, one_norms);
            micro_kernels<T>().sparse_values(leaf_, rows.view(), right_->sparse(one_norms), first,
                                             last, out + i * stride, stride);
        }
    }

    // Scattered over all features few rows may take much memory.
    RowValues<T> ready(Indices left) const override {
        constexpr std::size_t most = std::size_t(1) << 20;
        if (left.size() * left_->n_features() > most) return LeafKernel<T, Rows<T>>::ready(left);
        const bool one_norms = takes_one_norms(leaf_.kind);
        const auto rows = std::make_shared<const typename Rows<T>::Left>(*left_, left, one_norms);
        return [=, this](std::size_t first, std::size_t last, T* out, std::size_t stride) {
            const FlushDenormals flush;
            micro_kernels<T>().sparse_values(leaf_, rows->view(), right_->sparse(one_norms), first,
                                             last, out, stride);
        };
    }

    // Left rows are packed once for all columns; columns come in tiles that stay in the cache.
    void product(Indices left, const double* weights, std::size_t n_columns, std::size_t first,
                 std::size_t last, double* out, std::size_t stride,
                 ThreadPool* threads) const override {
        if (this->has_fast_product()) {
            return this->linear_product(left, weights, n_columns, first, last, out, stride,
                                        threads);
        }
        const bool one_norms = takes_one_norms(leaf_.kind);
        // Whole blocks for both layouts: the order of summation is that of dense rows.
        const std::size_t batch =
            std::lcm(micro_kernels<T>().sparse_height, micro_kernels<T>().left_height);
        for (std::size_t i = 0; i < left.size(); i += batch) {
            const Indices some = left.subspan(i, std::min(batch, left.size() - i));
            const typename Rows<T>::Left rows(*left_, some, one_norms);
            const std::vector<T> w(weights + i * n_columns,
                                   weights + (i + some.size()) * n_columns);
            share_columns(threads, last - first, [&](std::size_t begin, std::size_t end) {
                add_product(rows, w.data(), n_columns, first + begin, first + end, out + begin,
                            stride);
            });
        }
    }

  private:
    void add_product(const typename Rows<T>::Left& rows, const T* weights, std::size_t n_columns,
                     std::size_t first, std::size_t last, double* out, std::size_t stride) const {
        constexpr std::size_t tile = 256;
        const FlushDenormals flush;
        const bool one_norms = takes_one_norms(leaf_.kind);
        const std::size_t height = rows.view().count;
        Buffer<T> block(height * tile);
        std::vector<const T*> row(height);
        for (std::size_t r = 0; r < height; ++r) row[r] = &block[r * tile];
        for (std::size_t j = first; j < last; j += tile) {
            const std::size_t width = std::min(tile, last - j);
            micro_kernels<T>().sparse_values(leaf_, rows.view(), right_->sparse(one_norms), j,
                                             j + width, block.data(), tile);
            micro_kernels<T>().add_product(row.data(), height, width, weights, n_columns,
                                           out + (j - first), stride);
        }
    }
};

}  // namespace

// Rows whose norm leaves the range of T stand far from all others: |x|^2 - 2 x'z + |z|^2 would be
// no number.
template <class T>
static RowsPointer<T> in_range(RowsPointer<T> rows) {
    const T* norms = rows->squared_norms();
    const auto is_finite = [](T norm) { return std::isfinite(norm); };
    if (std::all_of(norms, norms + rows->size(), is_finite)) return rows;
    std::vector<std::size_t> all(rows->size());
    std::iota(all.begin(), all.end(), std::size_t(0));
    const auto copy = std::make_shared<Rows<T>>(*rows, all);
    copy->set_apart();
    return copy;
}

static LeafKind by_differences_of(LeafKind kind) {
    switch (kind) {
        case LeafKind::gaussian: return LeafKind::gaussian_by_differences;
        case LeafKind::gaussian_by_differences:
        case LeafKind::laplacian: return kind;
        case LeafKind::linear:
        case LeafKind::polynomial:
        case LeafKind::sigmoid: break;
    }
    throw std::invalid_argument("a kernel of inner products has no differences");
}

template <class T>
KernelPointer<T> make_leaf(LeafParameters leaf, RowsPointer<T> left, RowsPointer<T> right,
                           bool by_differences) {
    if (by_differences) leaf.kind = by_differences_of(leaf.kind);
    if (by_differences && left->is_sparse()) {
        return make_merged_leaf<T>(leaf, std::move(left), std::move(right));
    }
    if (leaf.kind == LeafKind::gaussian) {
        left = in_range<T>(std::move(left));
        right = in_range<T>(std::move(right));
    }
    if (left->is_sparse()) {
        return std::make_shared<SparseLeaf<T>>(leaf, std::move(left), std::move(right));
    }
    return std::make_shared<PanelLeaf<T, Rows<T>>>(leaf, std::move(left), std::move(right));
}

template KernelPointer<float> make_leaf(LeafParameters, RowsPointer<float>, RowsPointer<float>,
                                        bool);
template KernelPointer<double> make_leaf(LeafParameters, RowsPointer<double>, RowsPointer<double>,
                                         bool);

}  // namespace mercer
