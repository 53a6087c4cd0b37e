// Built-in kernels of rows packed in panels, whatever the panels hold.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/denormals.hpp"
#include "core/gram/byte_rows.hpp"
#include "core/gram/kernel.hpp"
#include "simd/instruction_set.hpp"

namespace mercer {

// The micro-kernels for a sort of rows; the pointer only tells which.
template <class T>
const MicroKernels<T>& panel_functions(const Rows<T>*) {
    return instruction_set().micro_kernels.of<T>();
}
template <class T, class S>
const ByteFunctions<T, S>& panel_functions(const ByteRows<S>*) {
    return byte_functions<T, S>(*instruction_set().bytes);
}

// k(x, x) of a leaf from the squared norms of the rows.
template <class T, class R>
void leaf_diagonal(const LeafParameters& leaf, const R& rows, double* out) {
    const FlushDenormals flush;
    const std::vector<T> norms(rows.squared_norms(), rows.squared_norms() + rows.size());
    std::vector<T> values(rows.size());
    instruction_set().micro_kernels.of<T>().diagonal(leaf, norms.data(), values.data(),
                                                     rows.size());
    std::ranges::copy(values, out);
}

template <class T, class R>
class LeafKernel : public Kernel<T> {
  public:
    LeafKernel(const LeafParameters& leaf, std::shared_ptr<const R> left,
               std::shared_ptr<const R> right)
        : leaf_(leaf), left_(std::move(left)), right_(std::move(right)) {}

    std::size_t n_left() const override { return left_->size(); }
    std::size_t n_right() const override { return right_->size(); }
    double work() const override { return right_->work(); }
    void left_diagonal(double* out) const override { leaf_diagonal<T>(leaf_, *left_, out); }
    void right_diagonal(double* out) const override { leaf_diagonal<T>(leaf_, *right_, out); }
    bool has_fast_product() const override { return leaf_.kind == LeafKind::linear; }
    // Of few rows nearly all are asked for sooner or later, and together they take a third of the
    // time.
    std::size_t rows_at_once() const override { return right_->size() <= 256 ? 24 : 1; }

  protected:
    // sum_r w_r <x_r, z> = <sum_r w_r x_r, z>: of a linear kernel no value is needed.
    void linear_product(Indices left, const double* weights, std::size_t n_columns,
                        std::size_t first, std::size_t last, double* out, std::size_t stride,
                        ThreadPool* threads) const {
        std::vector<double> direction(left_->n_features());
        for (std::size_t c = 0; c < n_columns; ++c) {
            std::ranges::fill(direction, 0.0);
            for (std::size_t r = 0; r < left.size(); ++r) {
                left_->add_row(left[r], weights[r * n_columns + c], direction.data());
            }
            share_columns(threads, last - first, [&](std::size_t begin, std::size_t end) {
                right_->add_inner_products(direction.data(), first + begin, first + end,
                                           out + c * stride + begin);
            });
        }
    }

    LeafParameters leaf_;
    std::shared_ptr<const R> left_, right_;
};

// Rows in panels, R: Rows<T> or ByteRows<S>.
template <class T, class R>
class PanelLeaf final : public LeafKernel<T, R> {
    using LeafKernel<T, R>::leaf_;
    using LeafKernel<T, R>::left_;
    using LeafKernel<T, R>::right_;

  public:
    using LeafKernel<T, R>::LeafKernel;

    KernelPointer<T> with_right(Indices right, ThreadPool* threads) const override {
        return std::make_shared<PanelLeaf>(leaf_, left_,
                                           std::make_shared<R>(*right_, right, threads));
    }

    void values(Indices left, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const override {
        values(typename R::Left(*left_, left), first, last, out, stride);
    }

    RowValues<T> ready(Indices left) const override {
        const auto rows = std::make_shared<const typename R::Left>(*left_, left);
        return [this, rows](std::size_t first, std::size_t last, T* out, std::size_t stride) {
            values(*rows, first, last, out, stride);
        };
    }

    void product(Indices left, const double* weights, std::size_t n_columns, std::size_t first,
                 std::size_t last, double* out, std::size_t stride,
                 ThreadPool* threads) const override {
        if (this->has_fast_product()) {
            return this->linear_product(left, weights, n_columns, first, last, out, stride,
                                        threads);
        }
        // Left rows are visited in batches so that the copy of them stays small.
        const std::size_t batch = 160 * functions().left_height;
        for (std::size_t i = 0; i < left.size(); i += batch) {
            const Indices some = left.subspan(i, std::min(batch, left.size() - i));
            const typename R::Left rows(*left_, some);
            const std::vector<T> w(weights + i * n_columns,
                                   weights + (i + some.size()) * n_columns);
            share_columns(threads, last - first, [&](std::size_t begin, std::size_t end) {
                add_product(rows, w.data(), n_columns, first + begin, first + end, out + begin,
                            stride);
            });
        }
    }

  private:
    void values(const typename R::Left& rows, std::size_t first, std::size_t last, T* out,
                std::size_t stride) const {
        const FlushDenormals flush;
        const std::size_t n_left = rows.view().count;
        by_panels(first, last,
                  [&](std::size_t panel, std::size_t panel_end, std::size_t skip, std::size_t count,
                      std::size_t at) {
                      const std::size_t width = functions().panel_width;
                      if (count == (panel_end - panel) * width) {
                          functions().values(leaf_, rows.view(), right_->panels(), panel, panel_end,
                                             out + at, stride);
                          return;
                      }
                      T near[few_values];  // one row asks for edges more often than for memory
                      Buffer<T> far;
                      if (n_left * width > few_values) far.require(n_left * width);
                      T* edge = far.size() > 0 ? far.data() : near;
                      functions().values(leaf_, rows.view(), right_->panels(), panel, panel_end,
                                         edge, width);
                      for (std::size_t r = 0; r < n_left; ++r) {
                          std::copy_n(&edge[r * width + skip], count, out + r * stride + at);
                      }
                  });
    }

    void add_product(const typename R::Left& rows, const T* weights, std::size_t n_columns,
                     std::size_t first, std::size_t last, double* out, std::size_t stride) const {
        const FlushDenormals flush;
        const std::size_t width = functions().panel_width;
        by_panels(first, last,
                  [&](std::size_t panel, std::size_t panel_end, std::size_t skip, std::size_t count,
                      std::size_t at) {
                      if (count == (panel_end - panel) * width) {
                          functions().product(leaf_, rows.view(), right_->panels(), panel,
                                              panel_end, weights, n_columns, out + at, stride);
                          return;
                      }
                      // The sums so far go on in the copy: added up apart they would round
                      // otherwise.
                      std::vector<double> edge(n_columns * width, 0.0);
                      for (std::size_t c = 0; c < n_columns; ++c) {
                          std::copy_n(out + c * stride + at, count, &edge[c * width + skip]);
                      }
                      functions().product(leaf_, rows.view(), right_->panels(), panel, panel_end,
                                          weights, n_columns, edge.data(), width);
                      for (std::size_t c = 0; c < n_columns; ++c) {
                          std::copy_n(&edge[c * width + skip], count, out + c * stride + at);
                      }
                  });
    }

    static constexpr std::size_t few_values = 256;
    static const auto& functions() { return panel_functions<T>(static_cast<R*>(nullptr)); }

    // Cuts [first, last) at panel boundaries: visit(panel, panel_end, skip, count, at) covers
    // `count` rows of the panels, `skip` rows into the first, that go to position `at`. Whole
    // panels come together, partial ones alone.
    template <class Visit>
    void by_panels(std::size_t first, std::size_t last, const Visit& visit) const {
        const std::size_t width = functions().panel_width;
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

}  // namespace mercer
