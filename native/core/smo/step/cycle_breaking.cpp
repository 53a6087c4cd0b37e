#include "core/smo/step/cycle_breaking.hpp"

#include <algorithm>
#include <cmath>

#include "core/smo/step/newton.hpp"

namespace mercer::smo {

template <class T>
StepRecord CycleBreaking<T>::take(State<T>& state, Choice<T>& choice) {
    StepRecord record = newton_record(state, choice);
    const auto same = [&](const Past& past) { return past.pair == choice.pair; };
    const auto found = std::ranges::find_if(past_, same);
    if (found != past_.end() && take_along(state, std::size_t(found - past_.begin()), record)) {
        past_.clear();
        return record;
    }
    std::vector<double> gradient;
    if (past_.size() == window_) {
        gradient = std::move(past_.front().gradient);
        past_.pop_front();
    }
    gradient = state.gradient;
    take_recorded(state, choice, record);
    if (!record.unbounded && !record.stalled) {
        past_.push_back({record.pair, record.length, std::move(gradient)});
    }
    return record;
}

// v = displacement since the step, H v = what the gradient has lost: step = v'gradient / v'Hv
template <class T>
bool CycleBreaking<T>::take_along(State<T>& state, std::size_t since, StepRecord& record) {
    along_.clear();
    for (std::size_t k = since; k < past_.size(); ++k) {
        if (past_[k].pair.up != none) along_.add(past_[k].pair.up, past_[k].length);
        if (past_[k].pair.down != none) along_.add(past_[k].pair.down, -past_[k].length);
    }
    for (std::size_t p = 0; p < state.size(); ++p) {
        along_.response[p] = past_[since].gradient[p] - state.gradient[p];
    }
    along_.measure();
    const double slope = along_.slope(state.gradient), curvature = along_.curvature;
    const double room = state.room(along_);
    if (!(slope > 0.0) || !(curvature > 0.0) || !(room > 0.0)) return false;
    if (!std::isfinite(slope / curvature)) return false;
    record.length = std::min(slope / curvature, room);
    record.newton = slope / curvature;
    record.kind = StepKind::joint;
    record.unbounded = false;
    along_.scale(record.length);
    state.advance(along_);
    return true;
}

template class CycleBreaking<float>;
template class CycleBreaking<double>;

}  // namespace mercer::smo
