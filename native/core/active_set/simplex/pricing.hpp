// Which variables are looked at when the next one to enter is chosen
// (docs/theory/active_set.md#pricing).
//
// *Sprinting*: after a full pricing only the worst violators are priced, until none of them
// violates. *Shrinking*: a variable that stays far on the right side of its bound is left out of
// full pricings, until nothing else violates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mercer::active_set {

struct Priced {
    std::size_t variable;
    double slope;      // what the objective gains if the variable grows
    double violation;  // the same in the direction its box allows; negative: settled
};

class Pricing {
  public:
    explicit Pricing(std::size_t n_variables);

    // The variables a full pricing looks at, ascending.
    const std::vector<std::size_t>& active() const { return active_; }
    bool is_shrunk() const { return active_.size() < calm_.size(); }
    void unshrink();
    // Leaves out what was settled by ten times the worst violation three times in a row.
    void shrink(const std::vector<Priced>& priced, double worst);

    std::vector<std::size_t>& candidates() { return candidates_; }
    // Keeps the `count` worst violators above the tolerance. `priced` is reordered.
    void choose_candidates(std::vector<Priced>& priced, std::size_t count, double tolerance);

  private:
    std::vector<std::size_t> active_, candidates_;
    std::vector<std::uint8_t> calm_;  // full pricings in a row that found it settled
};

}  // namespace mercer::active_set
