// The factor of H_FF + proximal I while the set F of the free positions changes.
//
// The factor L of an earlier set is kept. Positions that enter are appended as rows. For the
// positions R that leave, with V = L^-1 E_R,
//
//     solution with x_R = 0:   x = L'^-1 (I - V (V'V)^-1 V') L^-1 b
//
// since V spans the orthogonal complement of the rows of L outside R. A set that differs in too
// many places is factorized anew.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/cholesky.hpp"

namespace mercer::chunked {

template <class T>
class FreeFactor {
  public:
    // H: size x size, symmetric, rows `stride` apart. It must outlive this.
    FreeFactor(const T* matrix, std::size_t stride, std::size_t size);

    // F: ascending. false if the matrix is not positive.
    bool set(const std::vector<std::size_t>& free, double proximal);
    double proximal() const { return proximal_; }
    // x <- (H_FF + proximal I)^-1 x, in the order of F. false if the matrix is not positive.
    bool solve(std::vector<double>& x);

  private:
    T* row(std::size_t slot) { return factor_.data() + slot * stride_; }
    T* away_row(std::size_t r) { return away_rows_.data() + r * stride_; }
    const T* away_row(std::size_t r) const { return away_rows_.data() + r * stride_; }

    bool factorize();
    void forget();
    // Adapts the present factor to F; false if it cannot.
    bool border();
    // Copies rows [begin, end) of the lower triangle.
    void gather(std::size_t begin, std::size_t end);
    bool append(const std::vector<std::size_t>& entered);
    // Computes V and the factor of V'V for these rows of the factor, ascending.
    bool leave(std::vector<std::size_t> slots);
    void subtract_away(const std::vector<double>& weights, std::vector<T>& x) const;
    void project(std::vector<T>& x) const;
    bool is_away_zero(const std::vector<T>& x) const;
    void repair(std::vector<T>& x) const;
    // In the order of the factor; false if x_R does not vanish.
    bool solve_ordered(std::vector<T>& x) const;

    const T* matrix_;
    std::size_t matrix_stride_;
    double proximal_ = 0.0;
    std::vector<std::size_t> free_;
    std::vector<std::size_t> position_;  // of each row of the factor
    std::vector<std::size_t> slot_;      // of each position, or `none`
    std::size_t room_ = 0, stride_ = 0;  // rows the factor has room for, and their distance
    Buffer<T> factor_, packed_, away_rows_;
    std::vector<std::size_t> away_;             // R: rows of the factor that are not in F
    std::optional<Cholesky<double>> coupling_;  // of V'V
};

}  // namespace mercer::chunked
