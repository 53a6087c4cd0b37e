// Cholesky factor of differences of feature vectors to a reference (Sentelle 2014, equation 5.53).
//
// With S = (s_0, s_1, ..., s_m) the free variables and s_0 the reference, it holds R, upper
// triangular, with
//     (R'R)_ab = <phi_a - phi_0, phi_b - phi_0> = H_ab - H_0a - H_0b + H_00,   a, b = 1 .. m,
// which is Z'HZ for the basis Z = (-1 ... -1; I) of the vectors that sum to zero. Its diagonal is
// positive exactly if the feature vectors are affinely independent. With several groups each has a
// reference of its own, and a column is the difference to that of its group. Pure linear algebra:
// the caller supplies the entries.
#pragma once

#include <cstddef>
#include <vector>

namespace mercer::active_set {

class NullSpaceFactor {
  public:
    // Number of columns: of free variables but the references.
    std::size_t size() const { return size_; }
    void clear();

    // Solves R'r = column in place; returns diagonal - r'r, the pivot of appending that column:
    // the squared distance of the new feature vector to the affine hull of the others.
    // requires: `column` has size() entries
    double project(double* column, double diagonal) const;
    // Appends a projected column. requires: pivot > 0
    void append(const double* projected, double pivot);

    // Removes column `position`.
    void remove(std::size_t position);
    // Removes a reference; the variable of column `successor` takes its place. `others`: the other
    // columns that are differences to it. requires: they stand behind `successor`
    void remove_reference(std::size_t successor, const std::vector<std::size_t>& others);

    // x <- R'^-1 x and x <- R^-1 x
    void forward(double* x) const;
    void backward(double* x) const;

    // R_ij, i <= j
    double entry(std::size_t i, std::size_t j) const { return packed_[start(j) + i]; }
    // (largest / smallest pivot): a lower bound of the condition of R'R, and a good estimate.
    double condition() const;

  private:
    static std::size_t start(std::size_t column) { return column * (column + 1) / 2; }
    const double* column(std::size_t j) const { return packed_.data() + start(j); }
    double* column(std::size_t j) { return packed_.data() + start(j); }

    std::size_t size_ = 0;
    std::vector<double> packed_;  // column by column, the upper triangle only
};

}  // namespace mercer::active_set
