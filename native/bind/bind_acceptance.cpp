#include "bind/bind.hpp"
#include "core/problem/acceptance.hpp"

namespace mercer::bind {

void register_acceptance(nb::module_& m) {
    m.attr("FEASIBLE") = acceptance::feasible;
    m.attr("ROUNDED") = acceptance::rounded;
    m.attr("WORTHLESS") = acceptance::worthless;
    m.attr("SMALL_GAP") = acceptance::small_gap;
    m.attr("SMALL_VIOLATION") = acceptance::small_violation;
    m.attr("NEGLIGIBLE") = acceptance::negligible;
    m.attr("KNOWN") = acceptance::known;
    m.attr("ACCURATE") = acceptance::accurate;
    m.attr("VANISHING") = acceptance::vanishing;
    m.def("violation_scale", [](const Array1<double>& multiplier, double largest) {
        const std::span<const double> all(multiplier.data(), multiplier.size());
        return acceptance::violation_scale(all, largest);
    });
    m.def("likely", &acceptance::likely, nb::arg("rounding"), nb::arg("n"));
}

}  // namespace mercer::bind
