#include "core/smo/step/momentum.hpp"

#include <algorithm>

#include "core/smo/step/newton.hpp"

namespace mercer::smo {

namespace {

// Whether beta + kappa last + lambda (e_up - e_down) lies in the box.
template <class T>
bool stays_feasible(const State<T>& state, const Direction& last, double kappa, Pair pair,
                    double lambda) {
    const auto fits = [&](std::size_t p) {
        const double moved = state.beta[p] + kappa * last.move[p] + lambda * pair.sign(p);
        return state.lower[p] <= moved && moved <= state.upper[p];
    };
    return std::ranges::all_of(last.support, fits) && (pair.up == none || fits(pair.up)) &&
           (pair.down == none || fits(pair.down));
}

}  // namespace

template <class T>
StepRecord Momentum<T>::take(State<T>& state, Choice<T>& choice) {
    StepRecord record = newton_record(state, choice);
    if (take_joint(state, choice, record)) return record;
    record.stalled = is_lost(state, record);
    if (record.unbounded || record.stalled) return record;
    last_.clear();
    state.advance(last_, 0.0, record.pair, record.length, choice.up_row, choice.down_row);
    return record;
}

// With s, q the slope and curvature of the pair, t, m those of the last displacement, c the
// curvature between them, maximize  lambda s + kappa t - 1/2 (q lambda^2 + 2 c lambda kappa + m
// kappa^2):
//     lambda = (s m - t c) / det,   kappa = (t q - s c) / det,   det = q m - c^2
template <class T>
bool Momentum<T>::take_joint(State<T>& state, const Choice<T>& choice, StepRecord& record) {
    if (last_.empty() || record.newton == infinity) return false;
    const Pair pair = choice.pair;
    const double s = state.slope(pair), q = s / record.newton;
    const double t = last_.slope(state.gradient), m = last_.curvature;
    const double c = (pair.up == none ? 0.0 : last_.response[pair.up]) -
                     (pair.down == none ? 0.0 : last_.response[pair.down]);
    const double det = q * m - c * c;
    if (!(det > 1e-12 * q * m)) return false;
    const double lambda = (s * m - t * c) / det, kappa = (t * q - s * c) / det;
    if (!stays_feasible(state, last_, kappa, pair, lambda)) return false;
    state.advance(last_, kappa, pair, lambda, choice.up_row, choice.down_row);
    record.length = lambda;
    record.kind = StepKind::joint;
    return true;
}

template <class T>
Hint Momentum<T>::hint() const {
    Hint hint;
    if (tells_selection_ && !last_.empty() && last_.curvature > 0.0) hint.conjugate = &last_;
    return hint;
}

template class Momentum<float>;
template class Momentum<double>;

}  // namespace mercer::smo
