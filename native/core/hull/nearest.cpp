#include "core/hull/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>

#include "core/base/threads.hpp"
#include "core/hull/body.hpp"
#include "core/hull/search.hpp"
#include "core/hull/simplex.hpp"

namespace mercer::hull {

namespace {

constexpr std::size_t pairs_between_checks = 1 << 14;

// Whether the squares of lengths of this size, and their sums, neither overflow nor vanish.
bool is_ordinary(double size) {
    return size > 0x1p-400 && size < 0x1p400;
}

Body body_of(const Polytopes& polytopes, std::size_t k, std::size_t d) {
    const std::int64_t* at = polytopes.offsets + k;
    Body body{polytopes.points + std::size_t(at[0]) * d, std::size_t(at[1] - at[0]), d};
    if (polytopes.rotations) body.rotation = polytopes.rotations + k * d * d;
    if (polytopes.translations) body.translation = polytopes.translations + k * d;
    return body;
}

// One pair of polytopes after another, with the same memory.
template <std::size_t D>
class PairSolver {
  public:
    PairSolver(std::size_t dimension, const NearestOptions& options)
        : options_(options), simplex_(dimension), progress_(dimension), origin_(dimension),
          nearest_(dimension), opposite_(dimension), reach_(dimension), a_(dimension),
          b_(dimension) {}

    void take(const Body& a, const Body& b) {
        std::copy_n(a.translation ? a.translation : a.points, dimension(), origin_.begin());
        std::ranges::fill(reach_, 0.0);
        a_.take(a, origin_.data());
        b_.take(b, origin_.data());
        a_.add_reach(reach_.data());
        b_.add_reach(reach_.data());
        // a product with a direction that is turned back has those of the turn, too
        roundings_ = double(dimension() + 5) * (is_placed() ? 2.0 : 1.0);
        simplex_.clear();
        exponent_ = 0;
    }

    // Starts from vertices that were nearest before.
    void begin(const std::int64_t* member_a, const std::int64_t* member_b, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) {
            if (member_a[k] < 0 || member_b[k] < 0) continue;
            const auto i = std::size_t(member_a[k]), j = std::size_t(member_b[k]);
            if (i < a_.size() && j < b_.size() && simplex_.size() <= dimension()) {
                add(i * b_.size() + j);
            }
        }
    }

    // What is found is multiplied by 2^-exponent_, which is 1 unless squares need another scale.
    Nearest solve(const Check& check) {
        Nearest found = attempt(check);
        if (!is_ordinary(progress_.largest) && change_scale()) found = attempt(check);
        is_precise_ = !progress_.is_resolved;
        if (is_precise_) return precisely(found.iterations, check);
        simplex_.drop_rounding();
        std::ranges::copy(progress_.x, nearest_.begin());
        return found;
    }

    void write(std::size_t pair, const Nearest& found, const NearestArrays& out) const {
        const std::size_t d = dimension();
        out.outcome[pair] = std::int8_t(found.outcome);
        const double scale = std::ldexp(1.0, exponent_);
        out.distance[pair] = scale * found.distance;
        out.gap[pair] = scale * found.gap;
        out.iterations[pair] = std::int64_t(found.iterations);
        write_direction(found, nearest_.data(), d, out.direction + pair * d);
        std::copy_n(origin_.begin(), d, out.point_a + pair * d);
        std::copy_n(origin_.begin(), d, out.point_b + pair * d);
        if (is_precise_) {
            write_members(precise_->simplex(), pair, scale, out);
        } else {
            write_members(simplex_, pair, scale, out);
        }
    }

    // What the search asks of a polytope, here of the differences a_i - b_j, named i n_b + j.
    template <class Simplex>
    double look(const Simplex&, const double* x) {
        for (std::size_t c = 0; c < dimension(); ++c) opposite_[c] = -x[c];
        const Lowest a = a_.lowest(x), b = b_.lowest(opposite_.data());
        label_ = a.at * b_.size() + b.at;
        return a.value + b.value;
    }

    template <class Simplex>
    DoubleDouble look(const Simplex&, const DoubleDouble* x) {
        for (std::size_t c = 0; c < dimension(); ++c) turned_[c] = -x[c];
        const std::size_t j = b_.body().lowest(turned_.data());
        std::copy_n(x, dimension(), turned_.begin());
        label_ = a_.body().lowest(turned_.data()) * b_.size() + j;
        write_vertex(label_, turned_.data());
        DoubleDouble value = 0.0;
        for (std::size_t c = 0; c < dimension(); ++c) value += x[c] * turned_[c];
        return value;
    }

    std::size_t label() const { return label_; }

    void write_vertex(std::size_t label, double* out) const {
        const std::size_t i = label / b_.size(), j = label % b_.size();
        for (std::size_t c = 0; c < dimension(); ++c) {
            out[c] = a_.coordinate(i, c) - b_.coordinate(j, c);
        }
    }

    void write_vertex(std::size_t label, DoubleDouble* out) const {
        const std::size_t d = dimension(), i = label / b_.size(), j = label % b_.size();
        if (exponent_ || is_placed()) return write_moved(i, j, out);
        const double *a = a_.body().points + i * d, *b = b_.body().points + j * d;
        for (std::size_t c = 0; c < d; ++c) out[c] = DoubleDouble::sum(a[c], -b[c]);
    }

    template <class Real>
    double rounding_of_products(double length) const {
        if constexpr (std::is_same_v<Real, DoubleDouble>) return exact_rounding_ * length;
        double sum = 0.0;
        for (std::size_t c = 0; c < dimension(); ++c) sum += std::abs(opposite_[c]) * reach_[c];
        return roundings_ * unit_roundoff * sum;
    }

    double blur() const { return 0.0; }

    double vertex_rounding() const {
        if (!is_placed()) return 0.0;
        return double_double_epsilon * std::accumulate(reach_.begin(), reach_.end(), 0.0);
    }

  private:
    std::size_t dimension() const { return D ? D : origin_.size(); }

    bool is_placed() const { return a_.body().rotation || b_.body().rotation; }

    void write_moved(std::size_t i, std::size_t j, DoubleDouble* out) const {
        for (std::size_t c = 0; c < dimension(); ++c) {
            out[c] = a_.body().exact(i, c, -exponent_) - b_.body().exact(j, c, -exponent_);
        }
    }

    Nearest attempt(const Check& check) {
        if (simplex_.size() == 0) add(0);
        progress_.lower = progress_.largest = 0.0;
        return search(simplex_, *this, options_, progress_, check);
    }

    Nearest precisely(std::size_t iterations, const Check& check) {
        if (!precise_) precise_ = std::make_unique<PreciseSearch<PairSolver>>(dimension());
        turned_.resize(dimension());
        const double reach = a_.body().reach(-exponent_) + b_.body().reach(-exponent_);
        exact_rounding_ = 3.0 * double(dimension() + 8) * double_double_epsilon * reach;
        Nearest found = precise_->run(simplex_, *this, options_, progress_, check);
        for (std::size_t c = 0; c < dimension(); ++c) nearest_[c] = precise_->nearest(c);
        found.iterations += iterations;
        return found;
    }

    // To a power of two of the size of the points; false if theirs is ordinary. Forgets the start.
    bool change_scale() {
        const double largest = *std::ranges::max_element(reach_);
        if (largest == 0.0 || is_ordinary(largest) || !std::isfinite(largest)) return false;
        exponent_ = std::ilogb(largest);
        a_.scale(-exponent_);
        b_.scale(-exponent_);
        for (double& reach : reach_) reach = std::ldexp(reach, -exponent_);
        simplex_.clear();
        return true;
    }

    void add(std::size_t label) {
        write_vertex(label, progress_.vertex.data());
        if (!simplex_.contains(label)) simplex_.add(progress_.vertex.data(), label);
    }

    template <class Simplex>
    void write_members(const Simplex& simplex, std::size_t pair, double scale,
                       const NearestArrays& out) const {
        const std::size_t d = dimension(), width = d + 1;
        double *a = out.point_a + pair * d, *b = out.point_b + pair * d;
        for (std::size_t k = 0; k < width; ++k) {
            const bool is_there = k < simplex.size();
            const std::size_t i = is_there ? simplex.label(k) / b_.size() : 0;
            const std::size_t j = is_there ? simplex.label(k) % b_.size() : 0;
            const double weight = is_there ? simplex.weight(k) : 0.0;
            out.member_a[pair * width + k] = is_there ? std::int64_t(i) : -1;
            out.member_b[pair * width + k] = is_there ? std::int64_t(j) : -1;
            out.weight[pair * width + k] = weight;
            for (std::size_t c = 0; is_there && c < d; ++c) {
                a[c] += scale * (weight * a_.coordinate(i, c));
                b[c] += scale * (weight * b_.coordinate(j, c));
            }
        }
    }

    const NearestOptions& options_;
    Simplex<D> simplex_;
    Progress<double> progress_;
    std::unique_ptr<PreciseSearch<PairSolver>> precise_;  // where it was needed
    std::vector<double> origin_, nearest_, opposite_;
    std::vector<double> reach_;  // of both polytopes along each coordinate
    BodyPoints<D> a_, b_;        // from the origin
    double roundings_ = 0.0;     // of a product with one of their points, in units of its size
    std::vector<DoubleDouble> turned_;
    double exact_rounding_ = 0.0;
    std::size_t label_ = 0;
    int exponent_ = 0;
    bool is_precise_ = false;
};

template <std::size_t D>
void solve_range(const PolytopePairs& pairs, const NearestOptions& options, std::size_t begin,
                 std::size_t end, const NearestArrays& out, const Check& check) {
    PairSolver<D> solver(pairs.dimension, options);
    const std::size_t d = pairs.dimension, width = d + 1;
    for (std::size_t k = begin; k < end; ++k) {
        solver.take(body_of(pairs.a, std::size_t(pairs.which_a[k]), d),
                    body_of(pairs.b, std::size_t(pairs.which_b[k]), d));
        if (out.has_start) {
            solver.begin(out.member_a + k * width, out.member_b + k * width, width);
        }
        solver.write(k, solver.solve(check), out);
    }
}

}  // namespace

void nearest_of_pairs(const PolytopePairs& pairs, const NearestOptions& options,
                      std::size_t n_threads, const NearestArrays& out, const Check& check) {
    const auto range = pairs.dimension == 3   ? &solve_range<3>
                       : pairs.dimension == 2 ? &solve_range<2>
                                              : &solve_range<0>;
    if (pairs.n_pairs == 1) return range(pairs, options, 0, 1, out, check);
    ThreadPool threads(n_threads);
    const Check nothing = [] {};
    for (std::size_t begin = 0; begin < pairs.n_pairs; begin += pairs_between_checks) {
        const std::size_t count = std::min(pairs_between_checks, pairs.n_pairs - begin);
        threads.parallel_for(count, 256, [&](std::size_t first, std::size_t last) {
            range(pairs, options, begin + first, begin + last, out, nothing);
        });
        check();
    }
}

}  // namespace mercer::hull
