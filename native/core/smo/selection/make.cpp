#include <stdexcept>

#include "core/smo/selection/automatic.hpp"
#include "core/smo/selection/large_maximum_gain.hpp"
#include "core/smo/selection/maximum_gain.hpp"
#include "core/smo/selection/policies.hpp"

namespace mercer::smo {

template <class T>
std::unique_ptr<Selection<T>> make_selection(const Options& options) {
    const std::string& name = options.selection;
    const auto gain = [&](Rows rows, bool is_hybrid) {
        return std::make_unique<MaximumGain<T>>(rows, is_hybrid, options);
    };
    if (name == "auto") return std::make_unique<Automatic<T>>(options);
    if (name == "second-order") return std::make_unique<SecondOrder<T>>();
    if (name == "most-violating") return std::make_unique<MostViolating<T>>();
    if (name == "greedy") return std::make_unique<Greedy<T>>();
    if (name == "recall") return std::make_unique<Recall<T>>();
    if (name == "maximum-gain") return gain(Rows::pair, false);
    if (name == "hybrid-maximum-gain") return gain(Rows::pair, true);
    if (name == "one-row-maximum-gain") return gain(Rows::newest, true);
    if (name == "recent-maximum-gain") return gain(Rows::recent, true);
    if (name == "cached-maximum-gain") return gain(Rows::cached, true);
    if (name == "large-maximum-gain") return std::make_unique<LargeMaximumGain<T>>(options);
    throw std::invalid_argument("unknown selection " + name);
}

template std::unique_ptr<Selection<float>> make_selection(const Options&);
template std::unique_ptr<Selection<double>> make_selection(const Options&);

}  // namespace mercer::smo
