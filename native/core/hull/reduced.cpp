// Nearest points of reduced hulls, whose extreme points are means of several rows.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/sum.hpp"
#include "core/hull/extreme_point.hpp"
#include "core/hull/nearest.hpp"
#include "core/hull/points.hpp"
#include "core/hull/search.hpp"
#include "core/hull/simplex.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::hull {

namespace {

// One of the two hulls.
struct Side {
    Points points;
    const double *rows, *origin;
    std::span<const double> cap;
    std::vector<double> product;

    Side(const double* given, const double* caps, std::size_t n, std::size_t dimension,
         const double* from)
        : rows(given), origin(from), cap(caps, n) {
        points.take(rows, n, dimension, origin);
        product.resize(points.view().stride);
    }

    // The extreme point that goes farthest along a direction.
    std::vector<Share> farthest(const double* direction, ExtremePoint& chooser) {
        instruction_set().support->products(points.view(), direction, product.data());
        return chooser.find(std::span(product).first(points.size()), cap, 1.0);
    }

    // An extreme point, added to `out` with a sign.
    void add_point(const std::vector<Share>& shares, double sign, double* out) const {
        for (const Share& share : shares) {
            const double weight = sign * share.weight;
            for (std::size_t j = 0; j < points.view().dimension; ++j) {
                out[j] += weight * points.coordinate(share.member, j);
            }
        }
    }

    void add_point(const std::vector<Share>& shares, double sign, DoubleDouble* out) const {
        const std::size_t d = points.view().dimension;
        for (const Share& share : shares) {
            const DoubleDouble weight = sign * share.weight;
            for (std::size_t j = 0; j < d; ++j) {
                out[j] += weight * DoubleDouble::sum(rows[share.member * d + j], -origin[j]);
            }
        }
    }

    void add_to(double* coef, const std::vector<Share>& shares, double weight) const {
        for (const Share& share : shares) coef[share.member] += weight * share.weight;
    }

    // Coefficients within rounding of their cap are on it.
    void snap(double* coef) const {
        for (std::size_t i = 0; i < cap.size(); ++i) {
            if (coef[i] > cap[i] * (1.0 - 1e-13)) coef[i] = cap[i];
        }
    }
};

// What rounding does to a sum of shares of rows, next to the size of the rows: a single row has
// none, and what shares lack of 1 counts, too.
double rounding_of(const std::vector<Share>& shares) {
    if (shares.size() <= 1) return 0.0;
    Sum total;
    for (const Share& share : shares) total.add(share.weight);
    return std::abs(1.0 - total.value()) + double(shares.size() + 2) * unit_roundoff;
}

struct Vertex {
    std::vector<Share> a, b;
    bool operator==(const Vertex&) const = default;
};

class ReducedSolver {
  public:
    ReducedSolver(Side& a, Side& b, std::size_t dimension, const NearestOptions& options)
        : a_(a), b_(b), options_(options), simplex_(dimension), progress_(dimension),
          precise_(dimension), nearest_(dimension), along_(dimension), opposite_(dimension),
          reach_(dimension) {
        a_.points.add_reach(reach_.data());
        b_.points.add_reach(reach_.data());
    }

    Nearest solve(const Check& check) {
        // Any direction does for the first vertex: where no coordinate points, the first one.
        std::vector<double> first(reach_.size());
        first[0] = 1.0;
        look(simplex_, first.data());
        write_vertex(label_, progress_.vertex.data());
        simplex_.add(progress_.vertex.data(), label_);
        Nearest found = search(simplex_, *this, options_, progress_, check);
        is_precise_ = !progress_.is_resolved;
        if (is_precise_) {
            const std::size_t before = found.iterations;
            found = precise_.run(simplex_, *this, options_, progress_, check);
            found.iterations += before;
        }
        simplex_.drop_rounding();
        for (std::size_t j = 0; j < nearest_.size(); ++j) {
            nearest_[j] = is_precise_ ? precise_.nearest(j) : progress_.x[j];
        }
        return found;
    }

    void write(const Nearest& found, double* coef_a, double* coef_b, double* direction) const {
        write_direction(found, nearest_.data(), nearest_.size(), direction);
        std::fill_n(coef_a, a_.points.size(), 0.0);
        std::fill_n(coef_b, b_.points.size(), 0.0);
        if (is_precise_) {
            add_members(precise_.simplex(), coef_a, coef_b);
        } else {
            add_members(simplex_, coef_a, coef_b);
        }
        a_.snap(coef_a);
        b_.snap(coef_b);
    }

    // What the search asks of a polytope.
    template <class Simplex, class Real>
    Real look(const Simplex& simplex, const Real* x) {
        std::vector<Real> vertex(along_.size());
        find(simplex, x);
        write_vertex(label_, vertex.data());
        Real value = 0.0;
        for (std::size_t j = 0; j < vertex.size(); ++j) value += x[j] * vertex[j];
        return value;
    }

    std::size_t label() const { return label_; }

    template <class Real>
    void write_vertex(std::size_t label, Real* out) const {
        std::fill_n(out, reach_.size(), Real(0.0));
        a_.add_point(vertices_[label].a, 1.0, out);
        b_.add_point(vertices_[label].b, -1.0, out);
    }

    template <class Real>
    double rounding_of_products(double) const {
        double sum = 0.0;
        for (std::size_t j = 0; j < reach_.size(); ++j) sum += std::abs(along_[j]) * reach_[j];
        // three times: the least one is found, computed, and may not be the least
        return (blur_ + 3.0 * double(reach_.size() + 2) * unit_roundoff) * sum;
    }

    double vertex_rounding() const {
        return double_double_epsilon * std::accumulate(reach_.begin(), reach_.end(), 0.0);
    }

    double blur() const {
        double square = 0.0;
        for (const double reach : reach_) square += reach * reach;
        return blur_ * std::sqrt(square);
    }

  private:
    // The vertex that goes least far along x, by the name it has in the simplex or a new one.
    template <class Simplex, class Real>
    void find(const Simplex& simplex, const Real* x) {
        for (std::size_t j = 0; j < along_.size(); ++j) {
            along_[j] = double(x[j]);
            opposite_[j] = -along_[j];
        }
        Vertex found{a_.farthest(opposite_.data(), chooser_), b_.farthest(along_.data(), chooser_)};
        blur_ = rounding_of(found.a) + rounding_of(found.b);
        for (std::size_t k = 0; k < simplex.size(); ++k) {
            label_ = simplex.label(k);
            if (vertices_[label_] == found) return;
        }
        label_ = free_label(simplex);
        vertices_[label_] = std::move(found);
    }

    template <class Simplex>
    void add_members(const Simplex& simplex, double* coef_a, double* coef_b) const {
        for (std::size_t k = 0; k < simplex.size(); ++k) {
            a_.add_to(coef_a, vertices_[simplex.label(k)].a, simplex.weight(k));
            b_.add_to(coef_b, vertices_[simplex.label(k)].b, simplex.weight(k));
        }
    }

    template <class Simplex>
    std::size_t free_label(const Simplex& simplex) {
        std::size_t label = 0;
        while (simplex.contains(label)) ++label;
        if (label >= vertices_.size()) vertices_.resize(label + 1);
        return label;
    }

    Side &a_, &b_;
    const NearestOptions& options_;
    Simplex<0> simplex_;
    Progress<double> progress_;
    PreciseSearch<ReducedSolver> precise_;
    ExtremePoint chooser_;
    std::vector<double> nearest_, along_, opposite_;
    std::vector<double> reach_;     // of both hulls along each coordinate
    double blur_ = 0.0;             // of the last extreme point, next to the size of the rows
    std::vector<Vertex> vertices_;  // by label
    std::size_t label_ = 0;
    bool is_precise_ = false;
};

}  // namespace

Nearest nearest_reduced(const double* a, const double* cap_a, std::size_t n_a, const double* b,
                        const double* cap_b, std::size_t n_b, std::size_t dimension,
                        const NearestOptions& options, double* coef_a, double* coef_b,
                        double* direction, const Check& check) {
    Side first(a, cap_a, n_a, dimension, a), second(b, cap_b, n_b, dimension, a);
    ReducedSolver solver(first, second, dimension, options);
    const Nearest found = solver.solve(check);
    solver.write(found, coef_a, coef_b, direction);
    return found;
}

}  // namespace mercer::hull
