// Nearest points of reduced hulls, whose extreme points are means of several rows.

#include <algorithm>
#include <cmath>

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
    std::span<const double> cap;
    std::vector<double> product;

    Side(const double* rows, const double* caps, std::size_t n, std::size_t dimension,
         const double* origin)
        : cap(caps, n) {
        points.take(rows, n, dimension, origin);
        product.resize(points.view().stride);
    }

    // The extreme point that goes farthest along a direction, added to `out` with a sign.
    std::vector<Share> farthest(const double* direction, double sign, ExtremePoint& chooser,
                                double* out) {
        instruction_set().support->products(points.view(), direction, product.data());
        std::vector<Share> shares = chooser.find(std::span(product).first(points.size()), cap, 1.0);
        for (const Share& share : shares) {
            for (std::size_t j = 0; j < points.view().dimension; ++j) {
                out[j] += sign * share.weight * points.coordinate(share.member, j);
            }
        }
        return shares;
    }

    // sum of |share x|, next to which the sum of share x has its rounding; 0 for a single row.
    double reach(const std::vector<Share>& shares) const {
        double sum = 0.0;
        for (const Share& share : shares) {
            double square = 0.0;
            for (std::size_t j = 0; j < points.view().dimension; ++j) {
                square += points.coordinate(share.member, j) * points.coordinate(share.member, j);
            }
            sum += share.weight * std::sqrt(square);
        }
        return shares.size() > 1 ? sum : 0.0;
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

struct Vertex {
    std::vector<Share> a, b;
};

class ReducedSolver {
  public:
    ReducedSolver(Side& a, Side& b, std::size_t dimension, const NearestOptions& options)
        : a_(a), b_(b), options_(options), simplex_(dimension), nearest_(dimension),
          vertex_(dimension), opposite_(dimension) {}

    Nearest solve(const Check& check) {
        // Any direction does for the first vertex: where no coordinate points, the first one.
        std::vector<double> along(vertex_.size());
        along[0] = 1.0;
        next(along.data());
        enter();
        const Nearest found = search(
            simplex_, options_, nearest_.data(), vertex_.data(), size_,
            [&](const double* x) { return next(x); }, [&] { return enter(); }, check);
        simplex_.drop_rounding();
        return found;
    }

    void write(const Nearest& found, double* coef_a, double* coef_b, double* direction) const {
        write_direction(found, nearest_.data(), nearest_.size(), direction);
        std::fill_n(coef_a, a_.points.size(), 0.0);
        std::fill_n(coef_b, b_.points.size(), 0.0);
        for (std::size_t k = 0; k < simplex_.size(); ++k) {
            a_.add_to(coef_a, vertices_[simplex_.label(k)].a, simplex_.weight(k));
            b_.add_to(coef_b, vertices_[simplex_.label(k)].b, simplex_.weight(k));
        }
        a_.snap(coef_a);
        b_.snap(coef_b);
    }

  private:
    // Always a new vertex as far as the search is concerned: that it is not tells its gap.
    bool next(const double* x) {
        std::ranges::fill(vertex_, 0.0);
        for (std::size_t j = 0; j < vertex_.size(); ++j) opposite_[j] = -x[j];
        candidate_.a = a_.farthest(opposite_.data(), 1.0, chooser_, vertex_.data());
        candidate_.b = b_.farthest(x, -1.0, chooser_, vertex_.data());
        size_ = std::max(size_, a_.reach(candidate_.a) + b_.reach(candidate_.b));
        return true;
    }

    bool enter() {
        const std::size_t label = free_label();
        vertices_[label] = std::move(candidate_);
        return simplex_.add(vertex_.data(), label);
    }

    std::size_t free_label() {
        std::size_t label = 0;
        while (simplex_.contains(label)) ++label;
        if (label >= vertices_.size()) vertices_.resize(label + 1);
        return label;
    }

    Side &a_, &b_;
    const NearestOptions& options_;
    Simplex<0> simplex_;
    ExtremePoint chooser_;
    std::vector<double> nearest_, vertex_, opposite_;
    double size_ = 0.0;
    Vertex candidate_;
    std::vector<Vertex> vertices_;  // by label
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
