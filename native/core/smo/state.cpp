#include "core/smo/state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::smo {

// Neighbouring columns worth a run of their own: the rows of a class, one variable of every row.
static constexpr std::size_t long_run = 16;

template <class T>
State<T>::State(const ProblemView& problem, Gram<T>& gram, const double* start,
                const double* given_gradient, const T* matrix, const Poll& poll)
    : gram_(gram), matrix_(matrix), n_groups_(problem.n_groups), extremes_(problem.n_groups + 1) {
    order_variables(problem);
    read_variables(problem, start);
    find_runs();
    const std::size_t n = gram_.size();
    if (!matrix_ && gram_.cache_bytes() / sizeof(T) >= n * n) held_.resize(n);
    if (given_gradient) {
        for (std::size_t p = 0; p < size(); ++p) gradient[p] = given_gradient[variable_[p]];
    } else {
        compute_gradient(problem, poll);
    }
}

// Variables that can move, by group and segment; fixed ones take no part.
template <class T>
void State<T>::order_variables(const ProblemView& problem) {
    const auto& cuts = gram_.segments();
    std::vector<std::size_t> segment(problem.n_variables);
    for (std::size_t v = 0; v < problem.n_variables; ++v) {
        const auto above = std::ranges::upper_bound(cuts, std::size_t(problem.index[v]));
        segment[v] = std::size_t(above - cuts.begin()) - 1;
        if (problem.lower[v] < problem.upper[v]) variable_.push_back(v);
    }
    std::ranges::stable_sort(variable_, [&](std::size_t a, std::size_t b) {
        if (problem.group[a] != problem.group[b]) return problem.group[a] < problem.group[b];
        return segment[a] < segment[b];
    });
    std::vector<std::size_t> place(cuts.size(), none);
    for (std::size_t v : variable_) {
        if (place[segment[v]] == none) {
            place[segment[v]] = used_segments_.size();
            used_segments_.push_back(segment[v]);
        }
        segment_.push_back(place[segment[v]]);
    }
}

template <class T>
void State<T>::read_variables(const ProblemView& problem, const double* start) {
    const std::size_t n = variable_.size();
    for (auto* field : {&beta, &gradient, &lower, &upper, &curvature, &ridge}) field->resize(n);
    can_grow.resize(n);
    can_fall.resize(n);
    data_row_.resize(n);
    group_.resize(n);
    column_.resize(n);
    for (std::size_t p = 0; p < n; ++p) {
        const std::size_t v = variable_[p];
        beta[p] = start[v];
        lower[p] = problem.lower[v];
        upper[p] = problem.upper[v];
        ridge[p] = problem.ridge[v];
        group_[p] = problem.group[v];
        data_row_[p] = std::size_t(problem.index[v]);
        curvature[p] = gram_.diagonal()[data_row_[p]] + ridge[p];
        column_[p] = std::uint32_t(data_row_[p] - gram_.segments()[used_segments_[segment_[p]]]);
        refresh(p);
    }
}

// gradient = linear - (K + ridge) beta, fixed variables included in beta
template <class T>
void State<T>::compute_gradient(const ProblemView& problem, const Poll& poll) {
    std::vector<double> per_row(gram_.size(), 0.0);
    for (std::size_t v = 0; v < problem.n_variables; ++v) {
        if (problem.lower[v] == problem.upper[v]) {
            per_row[std::size_t(problem.index[v])] += problem.lower[v];
        }
    }
    for (std::size_t p = 0; p < size(); ++p) {
        per_row[data_row_[p]] += beta[p];
        gradient[p] = problem.linear[variable_[p]] - ridge[p] * beta[p];
    }
    std::vector<std::size_t> rows;
    std::vector<double> weights, product(gram_.size());
    for (std::size_t i = 0; i < per_row.size(); ++i) {
        if (per_row[i] == 0.0) continue;
        rows.push_back(i);
        weights.push_back(per_row[i]);
    }
    if (rows.empty()) return;
    if (!gram_.product(rows, weights.data(), 1, product.data(), poll)) throw Interrupted();
    for (std::size_t p = 0; p < size(); ++p) gradient[p] -= product[data_row_[p]];
}

template <class T>
void State<T>::find_runs() {
    for (std::size_t p = 0; p < size(); ++p) {
        const bool follows = p > 0 && column_[p] == column_[p - 1] + 1;
        if (p == 0 || group_[p] != group_[p - 1] || segment_[p] != segment_[p - 1] ||
            (!follows && runs_.back().contiguous && p - runs_.back().begin >= long_run)) {
            runs_.push_back({p, p + 1, group_[p], segment_[p], true, {}});
        } else {
            runs_.back().end = p + 1;
            runs_.back().contiguous &= follows;
        }
    }
    unshrink();
}

template <class T>
void State<T>::refresh(std::size_t p) {
    can_grow[p] = beta[p] < upper[p] ? -1 : 0;
    can_fall[p] = beta[p] > lower[p] ? -1 : 0;
}

// A sum is finite only if all its terms are; one that overflows is looked at term by term.
template <class T>
bool State<T>::is_finite() const {
    double sum = 0.0;
    for (std::size_t p = 0; p < size(); ++p) sum += std::abs(gradient[p]) + std::abs(curvature[p]);
    if (std::isfinite(sum)) return true;
    const auto fits = [](double x) { return std::isfinite(x); };
    return std::ranges::all_of(gradient, fits) && std::ranges::all_of(curvature, fits);
}

template <class T>
std::size_t State<T>::n_active() const {
    std::size_t count = 0;
    for (const Run& run : runs_) count += run.active.size();
    return count;
}

template <class T>
auto State<T>::row(std::size_t position) -> Row {
    const std::size_t data_row = data_row_[position];
    if (matrix_) {
        ++rows_hit_;
        return row_at_hand(data_row);
    }
    if (held_.empty()) return fetch(data_row);
    Row& held = held_[data_row];
    if (held) {
        gram_.count_hits(used_segments_.size());
        ++rows_hit_;
    } else {
        held = fetch(data_row);
    }
    return held;
}

template <class T>
auto State<T>::row_at_hand(std::size_t data_row) const -> Row {
    Row row;
    row.values_ = matrix_ + data_row * gram_.size();
    return row;
}

template <class T>
auto State<T>::fetch(std::size_t data_row) -> Row {
    std::vector<RowSegment<T>> segments;
    bool computed = false;
    segments.reserve(used_segments_.size());
    for (std::size_t s : used_segments_) {
        segments.push_back(gram_.row(data_row, s));
        computed |= segments.back().was_computed();
    }
    ++(computed ? rows_computed_ : rows_hit_);
    Row row;
    row.segments_ = std::make_shared<const std::vector<RowSegment<T>>>(std::move(segments));
    return row;
}

template <class T>
auto State<T>::peek(std::size_t position) -> Row {
    if (matrix_) return row_at_hand(data_row_[position]);
    std::vector<RowSegment<T>> segments;
    segments.reserve(used_segments_.size());
    for (std::size_t s : used_segments_) {
        segments.push_back(gram_.peek(data_row_[position], s));
        if (!segments.back()) return {};
    }
    Row row;
    row.segments_ = std::make_shared<const std::vector<RowSegment<T>>>(std::move(segments));
    return row;
}

template <class T>
std::size_t State<T>::rows_that_fit() const {
    std::size_t length = 0;
    for (std::size_t s : used_segments_) length += gram_.segments()[s + 1] - gram_.segments()[s];
    return length == 0 ? 0 : gram_.cache_bytes() / (length * sizeof(T));
}

template <class T>
double State<T>::slope(Pair pair) const {
    return (pair.up == none ? 0.0 : gradient[pair.up]) -
           (pair.down == none ? 0.0 : gradient[pair.down]);
}

template <class T>
double State<T>::room(Pair pair) const {
    return std::min(pair.up == none ? infinity : upper[pair.up] - beta[pair.up],
                    pair.down == none ? infinity : beta[pair.down] - lower[pair.down]);
}

template <class T>
double State<T>::room(const Direction& direction) const {
    double room = infinity;
    for (const std::size_t p : direction.support) {
        const double d = direction.move[p];
        if (d == 0.0) continue;
        room = std::min(room, ((d > 0.0 ? upper[p] : lower[p]) - beta[p]) / d);
    }
    return room;
}

template <class T>
double State<T>::pair_curvature(Pair pair, const Row& up_row) const {
    if (pair.up == none) return curvature[pair.down];
    if (pair.down == none) return curvature[pair.up];
    return curvature[pair.up] + curvature[pair.down] - 2.0 * value(up_row, pair.down);
}

template <class T>
void State<T>::move(Pair pair, double step, const Row& up_row, const Row& down_row) {
    if (pair.up != none) {
        snap(pair.up, beta[pair.up] + step);
        gradient[pair.up] -= step * ridge[pair.up];
    }
    if (pair.down != none) {
        snap(pair.down, beta[pair.down] - step);
        gradient[pair.down] += step * ridge[pair.down];
    }
    if (pair.up == none) {
        subtract_row(-step, down_row);
    } else if (pair.down == none) {
        subtract_row(step, up_row);
    } else {
        subtract_rows(step, up_row, down_row);
    }
    extremes_known_ = false;
}

// A coefficient within rounding of a bound would look free forever (docs/theory/smo.md#rounding).
template <class T>
void State<T>::snap(std::size_t p, double moved) {
    // The box itself is no measure of rounding: it may dwarf all coefficients.
    const double slack = 1e-15 * (std::abs(beta[p]) + std::abs(moved - beta[p]));
    beta[p] = moved >= upper[p] - slack ? upper[p] : moved <= lower[p] + slack ? lower[p] : moved;
    refresh(p);
}

template <class T>
void State<T>::subtract_row(double weight, const Row& row) {
    for (const Run& run : runs_) {
        scan_.subtract_row(gradient.data(), range_of(run), row.segment(run.segment), weight);
    }
}

template <class T>
void State<T>::subtract_rows(double weight, const Row& up_row, const Row& down_row) {
    for (const Run& run : runs_) {
        scan_.subtract_rows(gradient.data(), range_of(run), up_row.segment(run.segment),
                            down_row.segment(run.segment), weight);
    }
}

template <class T>
void State<T>::respond(Direction& direction) {
    std::ranges::fill(direction.response, 0.0);
    for (const std::size_t p : direction.support) {
        const double weight = direction.move[p];
        if (weight == 0.0) continue;
        const Row kernel_row = row(p);
        for (const Run& run : runs_) {
            scan_.subtract_row(direction.response.data(), range_of(run),
                               kernel_row.segment(run.segment), -weight);
        }
        direction.response[p] += weight * ridge[p];
    }
    direction.measure();
}

template <class T>
void State<T>::advance(const Direction& direction) {
    for (std::size_t p : direction.support) snap(p, beta[p] + direction.move[p]);
    for (std::size_t p = 0; p < size(); ++p) gradient[p] -= direction.response[p];
    extremes_known_ = false;
}

template <class T>
void State<T>::advance(Direction& direction, double old, Pair pair, double step, const Row& up_row,
                       const Row& down_row) {
    for (std::size_t p : direction.support) direction.move[p] *= old;
    double *response = direction.response.data(), *g = gradient.data();
    for (const Run& run : runs_) {
        const T* a = pair.up == none ? nullptr : up_row.segment(run.segment);
        const T* b = pair.down == none ? nullptr : down_row.segment(run.segment);
        const auto sweep = [&](auto value, auto column) {
            for (std::size_t p = run.begin; p < run.end; ++p) {
                const double r = old * response[p] + step * value(column(p));
                response[p] = r;
                g[p] -= r;
            }
        };
        const auto pass = [&](auto value) {
            const std::size_t first = column_[run.begin], begin = run.begin;
            const std::uint32_t* columns = column_.data();
            if (run.contiguous) {
                sweep(value, [=](std::size_t p) { return first + (p - begin); });
            } else {
                sweep(value, [=](std::size_t p) { return std::size_t(columns[p]); });
            }
        };
        if (a && b) {
            pass([=](std::size_t c) { return double(a[c]) - double(b[c]); });
        } else if (a) {
            pass([=](std::size_t c) { return double(a[c]); });
        } else {
            pass([=](std::size_t c) { return -double(b[c]); });
        }
    }
    for (std::size_t p : {pair.up, pair.down}) {
        if (p == none) continue;
        direction.add(p, step * pair.sign(p));
        const double extra = step * pair.sign(p) * ridge[p];
        response[p] += extra;
        gradient[p] -= extra;
    }
    for (std::size_t p : direction.support) snap(p, beta[p] + direction.move[p]);
    direction.measure();
    extremes_known_ = false;
}

template <class T>
void State<T>::move_many(const std::vector<std::size_t>& positions,
                         const std::vector<double>& delta) {
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const std::size_t p = positions[k];
        const double before = beta[p];
        snap(p, before + delta[k]);
        if (beta[p] == before) continue;
        gradient[p] -= (beta[p] - before) * ridge[p];
        subtract_row(beta[p] - before, row(p));
    }
    extremes_known_ = false;
}

template <class T>
ScanRange State<T>::range_of(const Run& run) const {
    return {run.begin, run.end, column_[run.begin], run.contiguous ? nullptr : column_.data()};
}

template <class T>
ScanArrays State<T>::arrays() const {
    return {gradient.data(), curvature.data(), can_grow.data(), can_fall.data()};
}

template <class T>
std::size_t State<T>::best_partner(const Run& run, std::size_t up, const Row& up_row,
                                   double span) const {
    return scan_.best_partner(arrays(), range_of(run), up_row.segment(run.segment), gradient[up],
                              curvature[up], span);
}

// Ties go to the last position.
template <class T>
void State<T>::find_extremes(const Run& run, Extremes& found) const {
    if (is_dense(run)) return scan_.extremes(arrays(), range_of(run), found);
    for (const std::uint32_t p : run.active) {
        const double g = gradient[p];
        if (can_grow[p] && g >= found.up) found.up = g, found.up_at = p;
        if (can_fall[p] && g <= found.down) found.down = g, found.down_at = p;
    }
}

template <class T>
const std::vector<Extremes>& State<T>::extremes() {
    if (extremes_known_) return extremes_;
    std::ranges::fill(extremes_, Extremes());
    for (const Run& run : runs_) {
        find_extremes(run, extremes_[slot(run.group)]);
    }
    extremes_known_ = true;
    return extremes_;
}

template <class T>
double State<T>::violation() {
    return largest_violation(extremes());
}

// A variable at its upper bound with a gradient above all that may grow (or at its lower bound,
// below all that may fall) is in no violating pair (Joachims 1999; docs/theory/smo.md#shrinking).
// All variables are looked at, not only the active ones: what was left out too early comes back.
template <class T>
void State<T>::shrink() {
    unshrink();
    const std::vector<Extremes> found = extremes();
    for (Run& run : runs_) {
        const Extremes& e = found[slot(run.group)];
        const double high = run.group < 0 ? std::max(e.up, -e.down) : e.up;
        const double low = run.group < 0 ? -high : e.down;
        const auto is_shrinkable = [&](std::uint32_t p) {
            return (!can_grow[p] && gradient[p] > high) || (!can_fall[p] && gradient[p] < low);
        };
        shrunk_ |= std::erase_if(run.active, is_shrinkable) > 0;
    }
}

template <class T>
void State<T>::unshrink() {
    for (Run& run : runs_) {
        run.active.resize(run.end - run.begin);
        std::iota(run.active.begin(), run.active.end(), std::uint32_t(run.begin));
    }
    shrunk_ = false;
    extremes_known_ = false;
}

template class State<float>;
template class State<double>;

}  // namespace mercer::smo
