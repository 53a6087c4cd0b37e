// Kernels of distances between sparse rows, feature by feature.

#include "core/gram/kernels/merged_leaf.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

#include "core/gram/kernels/panel_leaf.hpp"
#include "simd/instruction_set.hpp"

namespace mercer {

namespace {

// sum_k |x_k - z_k|, or of squares, over the features that either of the two has, ascending: no
// digits are lost, distances are symmetric and those of copies exactly zero.
template <class T, bool squares>
T merged_distance(const SparseRows<T>& left, std::size_t i, const SparseRows<T>& right,
                  std::size_t j) {
    std::int64_t a = left.start[i], b = right.start[j];
    const std::int64_t a_end = left.start[i + 1], b_end = right.start[j + 1];
    const auto term = [](T apart) { return squares ? apart * apart : std::abs(apart); };
    T sum = 0;
    while (a < a_end && b < b_end) {
        const std::int32_t feature = left.feature[a], other = right.feature[b];
        const T x = feature <= other ? left.values[a] : T(0);
        const T z = other <= feature ? right.values[b] : T(0);
        sum += term(x - z);
        a += feature <= other;
        b += other <= feature;
    }
    for (; a < a_end; ++a) sum += term(left.values[a]);
    for (; b < b_end; ++b) sum += term(right.values[b]);
    return sum;
}

// Those of kernels exp(-gamma distance).
template <class T>
auto distance_of(LeafKind kind) {
    switch (kind) {
        case LeafKind::gaussian_by_differences: return merged_distance<T, true>;
        case LeafKind::laplacian: return merged_distance<T, false>;
        case LeafKind::gaussian:
        case LeafKind::linear:
        case LeafKind::polynomial:
        case LeafKind::sigmoid: break;
    }
    assert(!"exp(-gamma distance), by differences");
    __builtin_unreachable();
}

template <class T>
class MergedLeaf final : public LeafKernel<T, Rows<T>> {
    using LeafKernel<T, Rows<T>>::leaf_;
    using LeafKernel<T, Rows<T>>::left_;
    using LeafKernel<T, Rows<T>>::right_;

  public:
    using LeafKernel<T, Rows<T>>::LeafKernel;

    KernelPointer<T> with_right(Indices right, ThreadPool* threads) const override {
        return std::make_shared<MergedLeaf>(leaf_, left_,
                                            std::make_shared<Rows<T>>(*right_, right, threads));
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        const FlushDenormals flush;
        const auto distance = distance_of<T>(leaf_.kind);
        const SparseRows<T> from = left_->sparse(false), to = right_->sparse(false);
        const T scale = T(-leaf_.gamma * std::numbers::log2e);
        for (std::size_t r = 0; r < left.size(); ++r) {
            T* row = out + r * stride;
            for (std::size_t j = first; j < last; ++j) {
                row[j - first] = scale * distance(from, left[r], to, j);
            }
            // exp(-gamma distance)
            instruction_set().micro_kernels.of<T>().power_of_two(row, row, last - first);
        }
    }
};

}  // namespace

template <class T>
KernelPointer<T> make_merged_leaf(const LeafParameters& leaf, RowsPointer<T> left,
                                  RowsPointer<T> right) {
    return std::make_shared<MergedLeaf<T>>(leaf, std::move(left), std::move(right));
}

template KernelPointer<float> make_merged_leaf(const LeafParameters&, RowsPointer<float>,
                                               RowsPointer<float>);
template KernelPointer<double> make_merged_leaf(const LeafParameters&, RowsPointer<double>,
                                                RowsPointer<double>);

}  // namespace mercer
