#include "core/smo/step.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mercer::smo {

namespace {

// The rows of both sides, fetched unless the selection already did.
template <class T>
void fetch_rows(State<T>& state, Choice<T>& choice) {
    if (choice.pair.up != none && !choice.has_up_row) choice.up_row = state.row(choice.pair.up);
    if (choice.pair.down != none && !choice.has_down_row) {
        choice.down_row = state.row(choice.pair.down);
    }
    choice.has_up_row = choice.has_down_row = true;
}

// A step of this length moves the larger coefficient by a unit in its last place or two: pairs
// would move to and fro for ever.
constexpr double lost = 2.0 * std::numeric_limits<double>::epsilon();
// Coefficients beyond this soon overflow in products; only a box without end lets them get there.
constexpr double overflow = 1e140;

template <class T>
double larger_coefficient(const State<T>& state, Pair pair) {
    return std::max(pair.up == none ? 0.0 : std::abs(state.beta[pair.up]),
                    pair.down == none ? 0.0 : std::abs(state.beta[pair.down]));
}

// step = min(slope / curvature, room); a flat or convex direction is followed to the box
// (spec 004, P2, P9).
template <class T>
class Newton final : public Step<T> {
  public:
    StepRecord take(State<T>& state, Choice<T>& choice) override {
        fetch_rows(state, choice);
        const Pair pair = choice.pair;
        const double slope = state.slope(pair), room = state.room(pair);
        const double curve = state.pair_curvature(pair, choice.up_row);
        const double sum = (pair.up == none ? 0.0 : state.curvature[pair.up]) +
                           (pair.down == none ? 0.0 : state.curvature[pair.down]);
        StepRecord record{pair};
        if (curve > std::numeric_limits<T>::epsilon() * sum) record.newton = slope / curve;
        record.free = record.newton < room;
        record.length = std::min(record.newton, room);
        const double size = larger_coefficient(state, pair);
        record.unbounded = size + record.length > overflow;
        record.stalled = record.free && record.length <= lost * size;
        if (record.unbounded || record.stalled) return record;
        state.move(pair, record.length, choice.up_row, choice.down_row);
        return record;
    }
};

}  // namespace

template <class T>
std::unique_ptr<Step<T>> make_step(const std::string& name) {
    if (name == "newton") return std::make_unique<Newton<T>>();
    throw std::invalid_argument("unknown step " + name);
}

template std::unique_ptr<Step<float>> make_step(const std::string&);
template std::unique_ptr<Step<double>> make_step(const std::string&);

}  // namespace mercer::smo
