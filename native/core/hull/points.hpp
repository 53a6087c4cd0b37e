// Points by coordinate, measured from one of them: what the searches for nearest points scan.
#pragma once

#include <cmath>
#include <cstddef>

#include "core/base/buffer.hpp"
#include "simd/instruction_set.hpp"
#include "simd/support.hpp"

namespace mercer::hull {

class Points {
  public:
    // `rows` of `dimension` numbers each, less the origin. Keeps its memory between calls.
    // requires: at least one row
    void take(const double* rows, std::size_t n, std::size_t dimension, const double* origin) {
        const std::size_t stride =
            (n + PointsView::padding - 1) / PointsView::padding * PointsView::padding;
        coordinates_.require(checked_product(stride, dimension));
        double* out = coordinates_.data();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < dimension; ++j) {
                out[j * stride + i] = rows[i * dimension + j] - origin[j];
            }
        }
        for (std::size_t i = n; i < stride; ++i) {
            for (std::size_t j = 0; j < dimension; ++j) {
                out[j * stride + i] = out[j * stride + n - 1];
            }
        }
        view_ = {out, stride, n, dimension};
    }

    // Adds the largest size of each coordinate to `reach`.
    void add_reach(double* reach) const { instruction_set().support->add_reach(view_, reach); }

    // All coordinates times 2^exponent.
    void scale(int exponent) {
        double* coordinates = coordinates_.data();
        for (std::size_t k = 0; k < view_.stride * view_.dimension; ++k) {
            coordinates[k] = std::ldexp(coordinates[k], exponent);
        }
    }

    const PointsView& view() const { return view_; }
    std::size_t size() const { return view_.n_points; }

    double coordinate(std::size_t i, std::size_t j) const {
        return view_.coordinates[j * view_.stride + i];
    }

  private:
    Buffer<double> coordinates_;
    PointsView view_{};
};

}  // namespace mercer::hull
