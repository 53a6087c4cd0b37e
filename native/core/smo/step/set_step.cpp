#include <algorithm>
#include <cmath>

#include "core/smo/selection/large_maximum_gain.hpp"
#include "core/smo/step/newton.hpp"

namespace mercer::smo {

template <class T>
StepRecord SetStep<T>::take(State<T>& state, Choice<T>& choice) {
    if (choice.set.empty()) {  // a pair
        StepRecord record = newton_record(state, choice);
        take_recorded(state, choice, record);
        return record;
    }
    std::vector<const typename State<T>::Row*> rows;
    for (std::size_t p : choice.set) choice.set_rows.push_back(state.row(p));
    for (const auto& row : choice.set_rows) rows.push_back(&row);
    const std::vector<double> d = maximize(restrict_to<T>(state, choice.set, rows), 1e-9, 10'000).d;
    StepRecord record{choice.pair, 0.0, infinity, StepKind::joint};
    for (double x : d) record.length = std::max(record.length, std::abs(x));
    const bool is_number = std::ranges::all_of(d, [](double x) { return std::isfinite(x); });
    record.stalled = record.length == 0.0 || !is_number;
    if (record.stalled) return record;
    for (std::size_t k = 0; k < d.size(); ++k) {
        state.move({choice.set[k], none}, d[k], choice.set_rows[k], {});
    }
    return record;
}

template class SetStep<float>;
template class SetStep<double>;

}  // namespace mercer::smo
