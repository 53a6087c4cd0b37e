#include "core/chunked/newton.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "simd/instruction_set.hpp"

namespace mercer::chunked {

namespace {

constexpr std::size_t most_rounds = 20;
// To converge, each with a proximal term ten times that of the one before.
constexpr int most_attempts = 4;
// A guess that changes in hardly fewer places than the one before will not converge.
constexpr double least_progress = 0.95;
// What would gain less than this share of the tolerance stays at its bound.
constexpr double idle_share = 0.1;

}  // namespace

template <class T>
Newton<T>::Newton(const Subproblem<T>& problem, double tolerance)
    : problem_(problem), tolerance_(tolerance),
      matrix_(problem.matrix, problem.stride, problem.size), range_(problem.size),
      multipliers_(problem.n_ranges) {
    for (std::size_t r = 0; r < problem.n_ranges; ++r) {
        const SubproblemRange& range = problem.ranges[r];
        std::fill(range_.begin() + std::ptrdiff_t(range.begin),
                  range_.begin() + std::ptrdiff_t(range.end), std::uint32_t(r));
    }
}

// m^3 / 6 multiplications for the factor, of which some twenty (in double precision half as many)
// are done while a pair step passes by one position, and m passes for the product.
template <class T>
std::size_t Newton<T>::cost_of_round() const {
    constexpr std::size_t together = sizeof(T) == sizeof(float) ? 130 : 65;
    std::size_t m = 0;
    for (std::size_t p = 0; p < problem_.size; ++p) m += is_free(p);
    return m * m / together * m / (problem_.size + 1) + m / 8;
}

// The proximal term leaves a violation of at most its product with the coefficients. Multipliers
// start from the middle between the largest gradient that may grow and the smallest that may fall.
template <class T>
void Newton<T>::start() {
    place_.assign(problem_.size, Place::free);
    std::vector<double> up(problem_.n_ranges, -infinity), down(problem_.n_ranges, infinity);
    double largest = 0.0;
    scale_ = 0.0;
    for (std::size_t p = 0; p < problem_.size; ++p) {
        const bool grows = problem_.beta[p] < problem_.upper[p];
        const bool falls = problem_.beta[p] > problem_.lower[p];
        const double g = double(problem_.gradient[p]);
        if (grows) up[range_[p]] = std::max(up[range_[p]], g);
        if (falls) down[range_[p]] = std::min(down[range_[p]], g);
        if (grows && falls) {
            largest = std::max(largest, std::abs(problem_.beta[p]));
            scale_ = std::max(scale_, double(problem_.diagonal[p]));
        } else {
            place_[p] = grows ? Place::lower : falls ? Place::upper : Place::fixed;
        }
    }
    for (std::size_t r = 0; r < problem_.n_ranges; ++r) {
        const double middle = 0.5 * (up[r] + down[r]);
        multipliers_[r] = !problem_.ranges[r].alone && std::isfinite(middle) ? middle : 0.0;
    }
    gather_free();
    const double rounding = std::numeric_limits<T>::epsilon() * scale_ * double(free_.size());
    const double least = std::max({rounding, 0.1 * tolerance_ / (largest + 1e-300), damping_});
    // That of the last step if it is nearly as small: its factor is at hand.
    const double last = matrix_.proximal();
    proximal_ = last >= least && last <= 2.0 * least ? last : least;
}

template <class T>
void Newton<T>::gather_free() {
    free_.clear();
    for (std::size_t p = 0; p < problem_.size; ++p) {
        if (place_[p] == Place::free) free_.push_back(p);
    }
}

template <class T>
bool Newton<T>::step() {
    start();
    if (free_.size() < 2) return true;
    const std::vector<Place> places = place_;
    std::optional<Displacement> straight;
    for (int attempt = 0; attempt < most_attempts; ++attempt, proximal_ *= 10.0) {
        std::optional<Displacement> move = round();
        if (!move) continue;
        if (!straight) straight = move;
        if (converge(move)) {
            damping_ = attempt == 0 ? 0.1 * proximal_ : proximal_;
            return climb(*move);
        }
        place_ = places;
        gather_free();
    }
    damping_ = 0.1 * proximal_;
    return !straight || climb(*straight);
}

template <class T>
bool Newton<T>::converge(std::optional<Displacement>& move) {
    double most = 0.5 * double(problem_.size);
    for (std::size_t n_rounds = 1; n_rounds < most_rounds; ++n_rounds) {
        const std::size_t changed = place_anew(*move);
        if (changed == 0) return true;
        if (double(changed) > most || free_.size() < 2) return false;
        most = least_progress * double(changed);
        move = round();
        if (!move) return false;
    }
    return false;
}

template <class T>
auto Newton<T>::round() -> std::optional<Displacement> {
    Displacement move{std::vector<double>(problem_.size), std::vector<double>(problem_.size)};
    std::vector<std::size_t> held;
    for (std::size_t p = 0; p < problem_.size; ++p) {
        if (place_[p] != Place::lower && place_[p] != Place::upper) continue;
        const double bound = place_[p] == Place::lower ? problem_.lower[p] : problem_.upper[p];
        move.change[p] = bound - problem_.beta[p];
        if (move.change[p] != 0.0) held.push_back(p);
    }
    add_products(held, move);
    std::vector<double> slopes(free_.size());
    for (std::size_t k = 0; k < slopes.size(); ++k) {
        const std::size_t p = free_[k];
        slopes[k] = (double(problem_.gradient[p]) - multiplier(p)) - move.product[p];
    }
    std::optional<std::vector<double>> d = direction(std::move(slopes));
    if (!d) return std::nullopt;
    for (std::size_t k = 0; k < d->size(); ++k) move.change[free_[k]] = (*d)[k];
    add_products(free_, move);
    measure(move);
    return move;
}

template <class T>
auto Newton<T>::sums() const -> std::vector<Sum> {
    std::vector<Sum> out;
    for (std::size_t r = 0; r < problem_.n_ranges; ++r) {
        const SubproblemRange& range = problem_.ranges[r];
        if (range.alone) continue;
        Sum sum{r, std::vector<double>(free_.size()), 0.0};
        bool any = false;
        for (std::size_t k = 0; k < free_.size(); ++k) {
            sum.member[k] = free_[k] >= range.begin && free_[k] < range.end;
            any = any || sum.member[k] != 0.0;
        }
        for (std::size_t p = range.begin; p < range.end; ++p) {
            if (place_[p] == Place::lower) sum.missing -= problem_.lower[p] - problem_.beta[p];
            if (place_[p] == Place::upper) sum.missing -= problem_.upper[p] - problem_.beta[p];
        }
        if (any || sum.missing != 0.0) out.push_back(std::move(sum));
    }
    return out;
}

// d = H^-1 (slopes - A m) with the multipliers m of A' d = missing,
//
//     (A' H^-1 A) m = A' H^-1 slopes - missing
//
// where A holds the members of each range. What rounding leaves of a sum is spread evenly.
template <class T>
std::optional<std::vector<double>> Newton<T>::direction(std::vector<double> slopes) {
    for (const std::size_t p : free_) (void)row(p);  // so that it is there
    if (!matrix_.set(free_, proximal_)) return std::nullopt;
    std::vector<double> d = std::move(slopes);
    if (!matrix_.solve(d)) return std::nullopt;
    const std::vector<Sum> ranges = sums();
    const std::size_t n = ranges.size();
    std::vector<std::vector<double>> solved;
    std::vector<double> coupling(n * n), m(n);
    for (std::size_t r = 0; r < n; ++r) {
        if (!matrix_.solve(solved.emplace_back(ranges[r].member))) return std::nullopt;
        for (std::size_t s = 0; s <= r; ++s) {
            coupling[r * n + s] = dot(ranges[s].member, solved[r]);
        }
        m[r] = dot(ranges[r].member, d) - ranges[r].missing;
    }
    const Cholesky<double> small(std::move(coupling), n);
    if (!small.is_positive()) return std::nullopt;
    small.solve(m);
    for (std::size_t r = 0; r < n; ++r) {
        multipliers_[ranges[r].range] += m[r];
        for (std::size_t k = 0; k < d.size(); ++k) d[k] -= m[r] * solved[r][k];
    }
    for (const Sum& sum : ranges) {
        const double count = dot(sum.member, sum.member);
        const double left = (dot(sum.member, d) - sum.missing) / count;
        for (std::size_t k = 0; k < d.size(); ++k) d[k] -= left * sum.member[k];
    }
    if (!std::ranges::all_of(d, [](double x) { return std::isfinite(x); })) return std::nullopt;
    return d;
}

// product += H change, for the change of these positions.
template <class T>
void Newton<T>::add_products(const std::vector<std::size_t>& positions, Displacement& move) const {
    std::vector<const T*> rows(positions.size());
    std::vector<T> weights(positions.size());
    for (std::size_t k = 0; k < positions.size(); ++k) {
        rows[k] = row(positions[k]);
        weights[k] = T(move.change[positions[k]]);
    }
    instruction_set().micro_kernels.of<T>().add_product(rows.data(), rows.size(), problem_.size,
                                                        weights.data(), 1, move.product.data(),
                                                        problem_.size);
}

// To the maximum along the change, or to the first bound.
template <class T>
void Newton<T>::measure(Displacement& move) const {
    double length = 0.0;
    for (std::size_t p = 0; p < problem_.size; ++p) {
        const double change = move.change[p];
        if (change == 0.0) continue;
        move.room = std::min(move.room, room(p, change));
        length += std::abs(change);
        move.slope += change * double(problem_.gradient[p]);
    }
    if (!(move.slope > 0.0)) return;
    move.curve = dot(move.change, move.product);
    // A curvature that may be rounding is none: such a direction is followed to the box.
    const double noise = std::numeric_limits<T>::epsilon() * scale_ * length * length;
    move.step = move.curve > noise ? std::min(move.room, move.slope / move.curve) : move.room;
    move.gain = move.step * (move.slope - 0.5 * move.step * move.curve);
}

// Whether what goes to infinity in a change, and no bound holds up, climbs without a curvature but
// that of rounding: rows that contradict each other without a cost. In a range with a sum pair
// steps find it.
template <class T>
bool Newton<T>::holds_ray(const Displacement& move) const {
    constexpr double flat = 1e-3, most = 0.5;  // of the slope: the curvature, what the ray keeps
    constexpr double small = 1e-6;             // proximal term that hides no curvature
    const auto is_alone = [](const SubproblemRange& range) { return range.alone; };
    if (!std::is_same_v<T, double> || !(move.slope > 0.0) || move.curve > flat * move.slope ||
        proximal_ > small * scale_ ||
        !std::all_of(problem_.ranges, problem_.ranges + problem_.n_ranges, is_alone)) {
        return false;
    }
    Displacement ray{std::vector<double>(problem_.size), std::vector<double>(problem_.size)};
    std::vector<std::size_t> moved;
    for (std::size_t p = 0; p < problem_.size; ++p) {
        if (move.change[p] == 0.0 || room(p, move.change[p]) < infinity) continue;
        ray.change[p] = move.change[p];
        moved.push_back(p);
    }
    add_products(moved, ray);
    measure(ray);
    // of values that err independently
    const double noise = std::numeric_limits<T>::epsilon() * scale_ * dot(ray.change, ray.change);
    return ray.slope >= most * move.slope && ray.curve < noise;
}

template <class T>
std::size_t Newton<T>::place_anew(const Displacement& move) {
    std::size_t changed = 0;
    const double idle = idle_share * tolerance_;
    for (std::size_t p = 0; p < problem_.size; ++p) {
        Place next = place_[p];
        if (next == Place::free) {
            const double change = move.change[p];
            if (change != 0.0 && room(p, change) <= 1.0) {
                next = change > 0.0 ? Place::upper : Place::lower;
            }
        } else if (next != Place::fixed) {
            const double slope = double(problem_.gradient[p]) - move.product[p] - multiplier(p);
            const bool leaves = next == Place::lower ? slope > idle : slope < -idle;
            if (leaves) next = Place::free;
        }
        changed += next != place_[p];
        place_[p] = next;
    }
    gather_free();
    return changed;
}

template <class T>
bool Newton<T>::climb(const Displacement& move) {
    found_ray_ = holds_ray(move);
    if (!(move.gain > 0.0) || !std::isfinite(move.step)) return true;
    ++n_steps_;
    for (std::size_t p = 0; p < problem_.size; ++p) {
        problem_.gradient[p] -= T(move.step * move.product[p]);
        const double change = move.change[p];
        if (change == 0.0) continue;
        const double bound = change > 0.0 ? problem_.upper[p] : problem_.lower[p];
        const bool is_met = room(p, change) <= move.step;
        problem_.beta[p] = is_met ? bound : problem_.beta[p] + move.step * change;
    }
    return move.step < move.room;
}

template class Newton<float>;
template class Newton<double>;

}  // namespace mercer::chunked
