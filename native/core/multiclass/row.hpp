// The variables of one row of a multiclass problem: slopes, violation, and their exact maximizer.
//
// Row i of class y has a variable a_p >= 0 for each other class p, which adds a_p nu_p to the
// coefficients of the row (docs/theory/multiclass.md#all-classes-in-one-machine):
//
//     relative margins  nu_p = e_y - e_p,        slope  margin - (f_y - f_p)
//     absolute margins  nu_p = (1 ... 1)/N - e_p, slope  margin + f_p
//
// with a_p <= upper, or the sum of a row's variables <= upper where a row has one slack (Crammer &
// Singer 2001). The step of a row: docs/theory/multiclass.md#solver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace mercer::multiclass {

struct Loss {
    std::size_t n_classes;
    double margin;
    bool is_relative;
    bool has_one_slack;

    // |sum_p d_p nu_p|^2 = sum_p d_p^2 + coupling (sum_p d_p)^2
    double coupling() const { return is_relative ? 1.0 : -1.0 / double(n_classes); }
};

// A sum of variables that lies this close to its bound, relatively, is on it.
constexpr double full = 1.0 - 1e-12;

class Row {
  public:
    explicit Row(const Loss& loss) : loss_(loss) {}

    // The variables of some other classes, with all others of the row fixed; in a row with one
    // slack the omitted ones must be 0. `base` is the part of the slopes that is not the values.
    void set(const double* alpha, double upper, std::span<const std::uint32_t> classes,
             const double* values, std::size_t stride, double base);
    // Largest KKT violation.
    double violation() const;
    // Whether variable k lies at a bound and its slope must change by more than `reach` to move it.
    bool is_settled(std::size_t k, double reach) const;
    // The maximizer for a row with k(x, x) = `curvature`, in `next`; what that gains.
    double maximize(double curvature);
    const std::vector<double>& alpha() const { return alpha_; }
    const std::vector<double>& next() const { return next_; }

  private:
    void to_vertex();
    void to_interior(double curvature);
    double total(double t, double upper, std::size_t& n_free) const;
    double root(double low, double high, double upper, double rate, double target) const;

    Loss loss_;
    double upper_ = 0.0;
    double sum_ = 0.0;                 // of the variables
    double top_ = 0.0, bottom_ = 0.0;  // with one slack: the largest slope, the least that may fall
    std::vector<double> alpha_, slope_, next_;
    std::vector<double> aim_;  // where each variable would go by itself
};

}  // namespace mercer::multiclass
