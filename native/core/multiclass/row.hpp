// The variables of one row of a multiclass problem: slopes, violation, and their exact maximizer.
//
// Row i of class y has a variable a_p >= 0 for each other class p, which adds a_p nu_p to the
// coefficients of the row (docs/theory/multiclass.md#all-classes-in-one-machine):
//
//     relative margins  nu_p = e_y - e_p,        slope  margin - (f_y - f_p)
//     absolute margins  nu_p = (1 ... 1)/N - e_p, slope  margin + f_p
//
// with a_p <= upper, or the sum of a row's variables <= upper where a row has one slack.
#pragma once

#include <cstddef>
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
    explicit Row(const Loss& loss) : loss_(loss), slope_(loss.n_classes), next_(loss.n_classes) {}

    // Slopes from the values f of all classes; that of the own class is 0.
    void set(const double* values, std::size_t stride, double shift, std::size_t label);
    // Largest KKT violation of the variables `alpha`.
    double violation(const double* alpha, double upper) const;
    // Moves `alpha` to its maximizer for a row with k(x, x) = `curvature`; what that gains. The
    // changes of the variables are in `change`.
    double maximize(double* alpha, double upper, double curvature);
    const std::vector<double>& change() const { return next_; }

  private:
    void to_vertex(const double* alpha, double upper);
    void to_interior(const double* alpha, double upper, double curvature);
    double total(double t, double upper, std::size_t& n_free) const;
    double root(double low, double high, double upper, double rate, double target) const;

    Loss loss_;
    std::vector<double> slope_, next_;
    std::vector<double> aim_;  // where each variable would go by itself
    std::size_t label_ = 0;
};

}  // namespace mercer::multiclass
