// The choice of the entering variable (docs/theory/active_set.md#pricing).
//
// *Sprinting*: after a full pricing only the worst violators, the *candidates*, are priced, until
// none of them violates. *Shrinking*: a variable that stays far on the right side of its bound is
// left out of full pricings, until nothing else violates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/active_set/simplex/options.hpp"
#include "core/active_set/simplex/point.hpp"

namespace mercer::active_set {

struct Priced {
    std::size_t variable;
    double slope;      // what the objective gains if the variable grows
    double violation;  // the same in the direction its box allows; negative: satisfied
};

class Pricing {
  public:
    explicit Pricing(std::size_t n_variables);

    // Every variable is looked at again.
    void begin(const Options& options);
    // The entering variable; false if there is none or, with an infinite violation, if numbers did
    // not suffice. `bland`: the smallest index that violates, against cycles.
    bool select(Point& point, bool bland, Counters& counters, Priced& choice);
    // A variable that enters is no candidate.
    void entered(std::size_t variable);

    // The largest violation at the last full pricing.
    double violation() const { return violation_; }
    std::size_t n_active() const { return active_.size(); }

  private:
    bool select_candidate(const Point& point, Counters& counters, Priced& choice) const;
    bool price_all(Point& point, Counters& counters, Priced& choice);
    bool price_active(Point& point, Priced& choice);
    std::vector<double> active_expansion(Point& point) const;
    std::vector<double> exact_expansion(Point& point) const;
    bool is_shrunk() const { return active_.size() < calm_.size(); }
    void unshrink();
    void shrink();
    void choose_candidates();

    Options options_;
    double tolerance_ = 0.0, violation_ = infinity;  // that asked for, or rounding if that is more
    std::vector<std::size_t> active_, candidates_;   // what a full pricing looks at; both ascending
    std::vector<std::uint8_t> calm_;  // full pricings in a row that found it far from violated
    std::vector<Priced> priced_;
};

}  // namespace mercer::active_set
