#include "core/hull/nearest.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/threads.hpp"
#include "core/hull/points.hpp"
#include "core/hull/search.hpp"
#include "core/hull/simplex.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::hull {

namespace {

constexpr std::size_t pairs_between_checks = 1 << 14;

// Whether the squares of lengths of this size, and their sums, neither overflow nor vanish.
bool is_ordinary(double size) {
    return size > 0x1p-400 && size < 0x1p400;
}

// One pair of polytopes after another, with the same memory.
template <std::size_t D>
class PairSolver {
  public:
    PairSolver(std::size_t dimension, const NearestOptions& options)
        : options_(options), simplex_(dimension), origin_(dimension), vertex_(dimension),
          nearest_(dimension), opposite_(dimension) {}

    void take(const double* a, std::size_t n_a, const double* b, std::size_t n_b) {
        std::copy_n(a, dimension(), origin_.begin());
        a_.take(a, n_a, dimension(), origin_.data());
        b_.take(b, n_b, dimension(), origin_.data());
        simplex_.clear();
        exponent_ = 0;
    }

    // Starts from vertices that were nearest before.
    void begin(const std::int64_t* member_a, const std::int64_t* member_b, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) {
            if (member_a[k] < 0 || member_b[k] < 0) continue;
            const auto i = std::size_t(member_a[k]), j = std::size_t(member_b[k]);
            if (i < a_.size() && j < b_.size() && simplex_.size() <= dimension()) add(i, j);
        }
    }

    // What is found is in units of 2^exponent_, which is 1 unless squares need another one.
    Nearest solve(const Check& check) {
        Nearest found = attempt(check);
        if (!is_ordinary(size_) && change_unit()) found = attempt(check);
        simplex_.drop_rounding();
        return found;
    }

    void write(std::size_t pair, const Nearest& found, const NearestArrays& out) const {
        const std::size_t d = dimension(), width = d + 1;
        out.outcome[pair] = std::int8_t(found.outcome);
        const double unit = std::ldexp(1.0, exponent_);
        out.distance[pair] = unit * found.distance;
        out.gap[pair] = unit * found.gap;
        out.iterations[pair] = std::int64_t(found.iterations);
        write_direction(found, nearest_.data(), d, out.direction + pair * d);
        double *a = out.point_a + pair * d, *b = out.point_b + pair * d;
        std::copy_n(origin_.begin(), d, a);
        std::copy_n(origin_.begin(), d, b);
        for (std::size_t k = 0; k < width; ++k) {
            const bool is_there = k < simplex_.size();
            const std::size_t i = is_there ? simplex_.label(k) / b_.size() : 0;
            const std::size_t j = is_there ? simplex_.label(k) % b_.size() : 0;
            const double weight = is_there ? simplex_.weight(k) : 0.0;
            out.member_a[pair * width + k] = is_there ? std::int64_t(i) : -1;
            out.member_b[pair * width + k] = is_there ? std::int64_t(j) : -1;
            out.weight[pair * width + k] = weight;
            for (std::size_t c = 0; is_there && c < d; ++c) {
                a[c] += unit * (weight * a_.coordinate(i, c));
                b[c] += unit * (weight * b_.coordinate(j, c));
            }
        }
    }

  private:
    std::size_t dimension() const { return D ? D : origin_.size(); }

    Nearest attempt(const Check& check) {
        if (simplex_.size() == 0) add(0, 0);
        size_ = 0.0;
        const auto next = [&](const double* x) { return farthest(x); };
        const auto enter = [&] { return simplex_.add(vertex_.data(), label_); };
        return search(simplex_, options_, nearest_.data(), vertex_.data(), size_, next, enter,
                      check);
    }

    // To a power of two of the size of the points; false if theirs is ordinary. Forgets the start.
    bool change_unit() {
        const double largest = std::max(a_.largest(), b_.largest());
        if (largest == 0.0 || is_ordinary(largest) || !std::isfinite(largest)) return false;
        exponent_ = std::ilogb(largest);
        a_.scale(-exponent_);
        b_.scale(-exponent_);
        simplex_.clear();
        return true;
    }

    void set_vertex(std::size_t i, std::size_t j) {
        for (std::size_t c = 0; c < dimension(); ++c) {
            vertex_[c] = a_.coordinate(i, c) - b_.coordinate(j, c);
        }
        label_ = i * b_.size() + j;
    }

    void add(std::size_t i, std::size_t j) {
        set_vertex(i, j);
        if (!simplex_.contains(label_)) simplex_.add(vertex_.data(), label_);
    }

    // The difference that goes least far along x, left in `vertex_`; false if the simplex has it.
    bool farthest(const double* x) {
        for (std::size_t c = 0; c < dimension(); ++c) opposite_[c] = -x[c];
        const std::size_t i = support_.lowest(a_.view(), x).at;
        set_vertex(i, support_.lowest(b_.view(), opposite_.data()).at);
        return !simplex_.contains(label_);
    }

    const NearestOptions& options_;
    const SupportFunctions& support_ = *instruction_set().support;
    Simplex<D> simplex_;
    Points a_, b_;
    std::vector<double> origin_, vertex_, nearest_, opposite_;
    std::size_t label_ = 0;
    int exponent_ = 0;
    double size_ = 0.0;
};

template <std::size_t D>
void solve_range(const PolytopePairs& pairs, const NearestOptions& options, std::size_t begin,
                 std::size_t end, const NearestArrays& out, const Check& check) {
    PairSolver<D> solver(pairs.dimension, options);
    const std::size_t d = pairs.dimension, width = d + 1;
    for (std::size_t k = begin; k < end; ++k) {
        const std::int64_t *a = pairs.offsets_a + pairs.which_a[k],
                           *b = pairs.offsets_b + pairs.which_b[k];
        solver.take(pairs.points_a + std::size_t(a[0]) * d, std::size_t(a[1] - a[0]),
                    pairs.points_b + std::size_t(b[0]) * d, std::size_t(b[1] - b[0]));
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
