#include <stdexcept>

#include "core/smo/step/cycle_breaking.hpp"
#include "core/smo/step/four_vector.hpp"
#include "core/smo/step/gradient_projection.hpp"
#include "core/smo/step/momentum.hpp"
#include "core/smo/step/newton.hpp"
#include "core/smo/step/planning_ahead.hpp"

namespace mercer::smo {

template <class T>
std::unique_ptr<Step<T>> make_step(const Options& options, std::size_t n) {
    const std::string& name = options.step;
    if (name == "newton" && options.selection == "large-maximum-gain") {
        return std::make_unique<SetStep<T>>();
    }
    if (name == "newton") return std::make_unique<Newton<T>>(1.0);
    if (name == "over-relaxed") return std::make_unique<Newton<T>>(options.factor);
    if (name == "planning-ahead") return std::make_unique<PlanningAhead<T>>(options.recent_sets);
    if (name == "momentum") return std::make_unique<Momentum<T>>(n, false);
    if (name == "conjugate") return std::make_unique<Momentum<T>>(n, true);
    if (name == "cycle-breaking") return std::make_unique<CycleBreaking<T>>(n, options.window);
    if (name == "four-vector") return std::make_unique<FourVector<T>>();
    if (name == "gradient-projection") return std::make_unique<GradientProjection<T>>(n);
    throw std::invalid_argument("unknown step " + name);
}

template std::unique_ptr<Step<float>> make_step(const Options&, std::size_t);
template std::unique_ptr<Step<double>> make_step(const Options&, std::size_t);

}  // namespace mercer::smo
