#include "core/smo/selection.hpp"

#include <stdexcept>

namespace mercer::smo {

namespace {

// Curvature below which a direction counts as flat: rounding noise of the kernel values.
template <class T>
double flat(double curvature_sum) {
    return std::numeric_limits<T>::epsilon() * curvature_sum + 1e-300;
}

// The pair (argmax of the gradient over what may grow, argmin over what may fall) of the group
// where they differ most; without a group the variable of largest gradient (spec 000, 2.D.5, MVP).
template <class T>
class MostViolating final : public Selection<T> {
  public:
    Choice<T> select(State<T>& state) override {
        Choice<T> choice;
        double best = 0.0;
        const auto& found = state.extremes();
        for (std::size_t g = 0; g < state.n_groups(); ++g) {
            if (found[g].up - found[g].down > best) {
                best = found[g].up - found[g].down;
                choice.pair = {found[g].up_at, found[g].down_at};
            }
        }
        const Extremes& alone = found[state.n_groups()];
        if (alone.up > best) best = alone.up, choice.pair = {alone.up_at, none};
        if (-alone.down > best) choice.pair = {none, alone.down_at};
        return choice;
    }
};

// In each group i = argmax of the gradient over what may grow, and j the violating partner with the
// largest gain of an unclipped step, (G_i - G_j)^2 / (2 Q_ij) (spec 000, 2.D.5, SO with E11). Among
// groups, and variables without one, the largest gain wins.
template <class T>
class SecondOrder final : public Selection<T> {
  public:
    Choice<T> select(State<T>& state) override {
        Choice<T> best;
        double best_gain = 0.0;
        const std::vector<Extremes> found = state.extremes();
        for (std::size_t g = 0; g < state.n_groups(); ++g) {
            if (!(found[g].up > found[g].down)) continue;
            Choice<T> choice;
            choice.up_row = state.row(found[g].up_at);
            choice.has_up_row = true;
            const auto [partner, gain] = best_partner(state, int(g), found[g].up_at, choice.up_row);
            if (partner == none || gain <= best_gain) continue;
            best_gain = gain;
            choice.pair = {found[g].up_at, partner};
            best = std::move(choice);
        }
        best_single(state, best_gain, best);
        return best;
    }

  private:
    struct Partner {
        std::size_t position = none;
        double gain = 0.0;
    };

    static Partner best_partner(const State<T>& state, int group, std::size_t up,
                                const typename State<T>::Row& row) {
        Partner best;
        const double high = state.gradient[up], own = state.curvature[up];
        for (const Run& run : state.runs()) {
            if (run.group != group) continue;
            const T* k = row.segment(run.segment);
            for (const std::uint32_t p : run.active) {
                const double slope = high - state.gradient[p];
                if (!state.can_fall[p] || slope <= 0.0) continue;
                const double sum = own + state.curvature[p];
                const double curve = std::max(sum - 2.0 * k[state.column(p)], flat<T>(sum));
                const double gain = slope * slope / curve;
                if (gain >= best.gain) best = {p, gain};
            }
        }
        return best;
    }

    static void best_single(State<T>& state, double best_gain, Choice<T>& best) {
        for (const Run& run : state.runs()) {
            if (run.group >= 0) continue;
            for (const std::uint32_t p : run.active) {
                const double g = state.gradient[p];
                if (!(g > 0.0 ? state.can_grow[p] : g < 0.0 && state.can_fall[p])) continue;
                const double curve = std::max(state.curvature[p], flat<T>(1.0));
                if (g * g / curve <= best_gain) continue;
                best_gain = g * g / curve;
                best = Choice<T>();
                best.pair = g > 0.0 ? Pair{p, none} : Pair{none, p};
            }
        }
    }
};

}  // namespace

template <class T>
std::unique_ptr<Selection<T>> make_selection(const std::string& name) {
    if (name == "most-violating") return std::make_unique<MostViolating<T>>();
    if (name == "second-order") return std::make_unique<SecondOrder<T>>();
    throw std::invalid_argument("unknown selection " + name);
}

template std::unique_ptr<Selection<float>> make_selection(const std::string&);
template std::unique_ptr<Selection<double>> make_selection(const std::string&);

}  // namespace mercer::smo
