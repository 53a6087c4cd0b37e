#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "bind/bind_problem.hpp"
#include "bind/bind_run.hpp"
#include "core/plan/follow.hpp"
#include "core/plan/plan.hpp"

namespace mercer::bind {

namespace {

using plan::PartResult;
using Parts = std::vector<PartResult>;

std::span<const std::int64_t> checked_offsets(const IndexArray& offsets, std::size_t size,
                                              const char* name) {
    const std::span<const std::int64_t> cuts(offsets.data(), offsets.size());
    if (cuts.empty() || cuts.front() != 0 || cuts.back() != std::int64_t(size) ||
        !std::ranges::is_sorted(cuts)) {
        throw std::invalid_argument(std::string(name) + " must ascend from 0 to " +
                                    std::to_string(size));
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

nb::list statuses(const Parts& parts) {
    nb::list out;
    for (const PartResult& part : parts) out.append(status_name(part.run.status));
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
    out["error"] = number([](const PartResult& p) { return p.error; });
    out["rounding"] = number([](const PartResult& p) { return p.rounding; });
    out["squared_norm"] = number([](const PartResult& p) { return p.squared_norm; });
    out["seconds"] = number([](const PartResult& p) { return p.seconds; });
    out["iterations"] = count([](const PartResult& p) { return p.run.iterations; });
    out["newton_steps"] = count([](const PartResult& p) { return p.run.newton_steps; });
    out["rows_computed"] = count([](const PartResult& p) { return p.run.rows; });
    out["evaluations"] = count([](const PartResult& p) { return p.evaluations; });
    out["is_solved"] = column<bool>(parts, [](const PartResult& p) { return p.is_solved; });
    out["status"] = statuses(parts);
    return out;
}

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Group sums of each problem; null if there are none.
const double* checked_sums(const std::optional<Table>& sums, std::size_t n_parts,
                           std::size_t n_groups) {
    if (!sums) return nullptr;
    if (sums->shape(0) != n_parts || sums->shape(1) != n_groups) {
        throw std::invalid_argument("there must be a row of group sums for each problem");
    }
    return sums->data();
}

// What is true of each part, and its multipliers.
nb::tuple solve_parts(const BoundProblem& problem, const IndexArray& offsets,
                      const std::optional<Table>& group_sums, Gram<double>& gram,
                      Gram<float>* single, const std::optional<IndexArray>& blocks,
                      const std::optional<Array1<double>>& lengths, const Array1<double>& roundings,
                      const plan::Options& options, OutArray beta, OutArray gradient,
                      const nb::object& callback) {
    const ProblemView& view = problem.view_on(gram.size());
    const auto cuts = checked_offsets(offsets, problem.size(), "offsets");
    const double* sums = checked_sums(group_sums, cuts.size() - 1, view.n_groups);
    std::span<const std::int64_t> shared;
    if (blocks) shared = checked_offsets(*blocks, gram.size(), "blocks");
    double *point = problem.entries(beta), *slopes = problem.entries(gradient);
    const bool is_known = roundings.size() == 1 || roundings.size() == gram.size();
    if ((lengths && lengths->size() != gram.size()) || !is_known) {
        throw std::invalid_argument("there must be one length and one rounding per row");
    }
    const plan::Source source{gram, single, shared, lengths ? lengths->data() : nullptr,
                              std::span<const double>(roundings.data(), roundings.size())};
    const Monitor monitor = python_monitor(callback);
    Parts parts;
    {
        nb::gil_scoped_release release;
        parts = plan::solve_parts({view, cuts, sums}, source, options, point, slopes, monitor);
    }
    return nb::make_tuple(columns(parts), multipliers(parts, view.n_groups));
}

template <class T>
nb::ndarray<nb::numpy, T> table(const std::vector<T>& values, std::size_t n_columns) {
    auto out = std::make_unique<T[]>(values.size());
    std::ranges::copy(values, out.get());
    return new_array<T>(std::move(out),
                        {values.size() / std::max<std::size_t>(n_columns, 1), n_columns});
}

using OutMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Multipliers, pair steps and states (core/plan/follow.hpp) of machines: (n_C, n_parts).
nb::tuple follow_parts(const BoundProblem& problem, const IndexArray& offsets, Gram<double>& gram,
                       Gram<float>& single, const Array1<double>& box, const Array1<double>& ridge,
                       const plan::FollowOptions& options, OutMatrix beta, OutMatrix gradient,
                       const nb::object& callback) {
    const ProblemView& view = problem.view_on(gram.size());
    const auto cuts = checked_offsets(offsets, problem.size(), "offsets");
    for (const OutMatrix& out : {beta, gradient}) {
        if (out.shape(0) != box.size() || out.shape(1) != problem.size()) {
            throw std::invalid_argument("there must be a row of coefficients for each C");
        }
    }
    if (ridge.size() != box.size()) throw std::invalid_argument("sizes of box and ridge differ");
    const std::int64_t all[] = {0, std::int64_t(gram.size())};
    const plan::Source source{gram, &single, all, nullptr, {}};
    const plan::Scales scales{{box.data(), box.size()}, {ridge.data(), ridge.size()}};
    const Monitor monitor = python_monitor(callback);
    plan::Followed found;
    {
        nb::gil_scoped_release release;
        found = plan::follow_parts({view, cuts}, source, scales, options, beta.data(),
                                   gradient.data(), monitor);
    }
    const std::size_t n_parts = cuts.size() - 1;
    std::vector<std::uint8_t> states(found.state.size());
    std::ranges::transform(found.state, states.begin(),
                           [](plan::State state) { return std::uint8_t(state); });
    return nb::make_tuple(table(found.multiplier, n_parts), table(found.iterations, n_parts),
                          table(states, n_parts));
}

}  // namespace

void register_plan(nb::module_& m) {
    nb::class_<plan::Options>(m, "PlanOptions")
        .def(nb::init<>())
        .def_rw("tolerance", &plan::Options::tolerance)
        .def_rw("max_iterations", &plan::Options::max_iterations)
        .def_rw("max_seconds", &plan::Options::max_seconds)
        .def_rw("most_variables", &plan::Options::most_variables)
        .def_rw("has_features", &plan::Options::has_features)
        .def_rw("certificate", &plan::Options::certificate);
    nb::class_<plan::FollowOptions>(m, "FollowOptions")
        .def(nb::init<>())
        .def_rw("tolerance", &plan::FollowOptions::tolerance)
        .def_rw("max_iterations", &plan::FollowOptions::max_iterations)
        .def_rw("max_seconds", &plan::FollowOptions::max_seconds)
        .def_rw("most_error", &plan::FollowOptions::most_error)
        .def_rw("most_at_once", &plan::FollowOptions::most_at_once);
    m.def("follow_parts", &follow_parts, nb::arg("problem"), nb::arg("offsets"), nb::arg("gram"),
          nb::arg("single"), nb::arg("box"), nb::arg("ridge"), nb::arg("options"),
          nb::arg("beta").noconvert(), nb::arg("gradient").noconvert(), nb::arg("callback").none());
    m.def("solve_parts", &solve_parts, nb::arg("problem"), nb::arg("offsets"),
          nb::arg("group_sums").none(), nb::arg("gram"), nb::arg("single").none(),
          nb::arg("blocks").none(), nb::arg("lengths").none(), nb::arg("roundings"),
          nb::arg("options"), nb::arg("beta").noconvert(), nb::arg("gradient").noconvert(),
          nb::arg("callback").none());
}

}  // namespace mercer::bind
