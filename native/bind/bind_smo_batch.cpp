#include <stdexcept>

#include "bind/bind_problem.hpp"
#include "bind/bind_run.hpp"
#include "core/smo/batch.hpp"

namespace mercer::bind {

namespace {

using smo::PartResult;
using Parts = std::vector<PartResult>;

std::span<const std::int64_t> checked_offsets(const IndexArray& offsets, std::size_t size) {
    const std::span<const std::int64_t> cuts(offsets.data(), offsets.size());
    if (cuts.empty() || cuts.front() != 0 || cuts.back() != std::int64_t(size) ||
        !std::ranges::is_sorted(cuts)) {
        throw std::invalid_argument("offsets must ascend from 0 to the number of variables");
    }
    return cuts;
}

// One number of every part.
template <class T, class Get>
nb::ndarray<nb::numpy, T> column(const Parts& parts, Get get) {
    auto out = std::make_unique<T[]>(parts.size());
    std::ranges::transform(parts, out.get(), [&](const PartResult& part) { return T(get(part)); });
    return new_array<T>(std::move(out), {parts.size()});
}

nb::ndarray<nb::numpy, double> multipliers(const Parts& parts, std::size_t n_groups) {
    auto out = std::make_unique<double[]>(parts.size() * n_groups);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        std::ranges::copy(parts[k].report.multiplier, out.get() + k * n_groups);
    }
    return new_array<double>(std::move(out), {parts.size(), n_groups});
}

nb::dict counters(const Parts& parts) {
    using Counter = std::size_t smo::Counters::*;
    const std::pair<const char*, Counter> names[] = {
        {"free_steps", &smo::Counters::free_steps},
        {"clipped_steps", &smo::Counters::clipped_steps},
        {"planned_steps", &smo::Counters::planned_steps},
        {"joint_steps", &smo::Counters::joint_steps},
        {"newton_steps", &smo::Counters::newton_steps},
        {"related_pairs", &smo::Counters::related_pairs},
        {"unshrinks", &smo::Counters::unshrinks},
        {"rows_computed", &smo::Counters::rows_computed},
        {"rows_hit", &smo::Counters::rows_hit}};
    nb::dict out;
    for (const auto& [name, counter] : names) {
        out[name] = column<std::int64_t>(
            parts, [&](const PartResult& part) { return part.run.counters.*counter; });
    }
    return out;
}

nb::dict columns(const Parts& parts) {
    const auto number = [&](auto get) { return column<double>(parts, get); };
    const auto count = [&](auto get) { return column<std::int64_t>(parts, get); };
    nb::dict out;
    out["objective"] = number([](const PartResult& p) { return p.report.objective; });
    out["violation"] = number([](const PartResult& p) { return p.report.violation; });
    out["infeasibility"] = number([](const PartResult& p) { return p.report.infeasibility; });
    out["gap"] = number([](const PartResult& p) { return p.report.gap; });
    out["squared_norm"] = number([](const PartResult& p) { return p.squared_norm; });
    out["linear_size"] = number([](const PartResult& p) { return p.linear_size; });
    out["sum_of_sizes"] = number([](const PartResult& p) { return p.sum_of_sizes; });
    out["missing_sum"] = number([](const PartResult& p) { return p.missing_sum; });
    out["curvature"] = number([](const PartResult& p) { return p.curvature; });
    out["seconds"] = number([](const PartResult& p) { return p.run.seconds; });
    out["iterations"] = count([](const PartResult& p) { return p.run.iterations; });
    out["evaluations"] = count([](const PartResult& p) { return p.evaluations; });
    out["is_converged"] = column<bool>(parts, [](const PartResult& p) {
        return p.run.status == Status::converged && !p.run.drifted;
    });
    out["is_out_of_time"] =
        column<bool>(parts, [](const PartResult& p) { return p.run.status == Status::max_time; });
    return out;
}

// What is true of each part, its multipliers, and what it counted.
nb::tuple solve_parts(const BoundProblem& problem, const IndexArray& offsets, Gram<double>& gram,
                      const smo::Options& options, OutArray beta, OutArray gradient) {
    const ProblemView& view = problem.view_on(gram.size());
    const auto cuts = checked_offsets(offsets, problem.size());
    double *point = problem.entries(beta), *slopes = problem.entries(gradient);
    const nb::object nobody = nb::none();
    const Monitor monitor = python_monitor(nobody);
    Parts parts;
    {
        nb::gil_scoped_release release;
        parts = smo::solve_parts(view, cuts, gram, options, point, slopes, monitor);
    }
    return nb::make_tuple(columns(parts), multipliers(parts, view.n_groups), counters(parts));
}

}  // namespace

void register_smo_batch(nb::module_& m) {
    m.def("smo_solve_parts", &solve_parts, nb::arg("problem"), nb::arg("offsets"), nb::arg("gram"),
          nb::arg("options"), nb::arg("beta").noconvert(), nb::arg("gradient").noconvert());
}

}  // namespace mercer::bind
