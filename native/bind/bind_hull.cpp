#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "bind/bind_problem.hpp"
#include "bind/bind_run.hpp"
#include "core/hull/frank_wolfe.hpp"
#include "core/hull/nearest.hpp"

namespace mercer::bind {

namespace {

using hull::FrankWolfeOptions;
using hull::FrankWolfeResult;
using hull::NearestOptions;

template <class T>
FrankWolfeResult frank_wolfe(const BoundProblem& problem, Gram<T>& gram,
                             const FrankWolfeOptions& options, OutArray beta, nb::object callback) {
    const ProblemView& view = problem.view_on(gram.size());
    double* point = problem.entries(beta);
    const Monitor monitor = python_monitor(callback);
    nb::gil_scoped_release release;
    return hull::frank_wolfe<T>(view, gram, options, point, monitor);
}

template <class T>
void register_frank_wolfe(nb::module_& m) {
    m.def("frank_wolfe", &frank_wolfe<T>, nb::arg("problem"), nb::arg("gram"), nb::arg("options"),
          nb::arg("beta").noconvert(), nb::arg("callback").none());
}

nb::dict counters(const FrankWolfeResult& r) {
    nb::dict out;
    out["iterations"] = r.iterations;
    out["extreme_rows"] = r.extreme_rows;
    out["clipped_steps"] = r.clipped_steps;
    out["drifted"] = int(r.drifted);
    return out;
}

nb::list trace(const FrankWolfeResult& result) {
    nb::list out;
    for (const hull::FrankWolfePoint& p : result.trace) {
        out.append(nb::make_tuple(p.iteration, p.seconds, p.objective, p.gap));
    }
    return out;
}

hull::Check signal_check(SignalPoll& poll) {
    return [&poll] { poll(); };
}

const char* outcome_name(hull::Outcome outcome) {
    switch (outcome) {
        case hull::Outcome::converged: return "converged";
        case hull::Outcome::overlap: return "overlap";
        case hull::Outcome::max_iterations: return "max-iter";
    }
    return "converged";
}

// Throws std::invalid_argument unless the offsets ascend from 0 to the number of points.
void check_offsets(const IndexArray& offsets, std::size_t n_points) {
    const std::int64_t* cuts = offsets.data();
    if (offsets.size() < 2 || cuts[0] != 0 || cuts[offsets.size() - 1] != std::int64_t(n_points)) {
        throw std::invalid_argument("offsets must run from 0 to the number of points");
    }
    for (std::size_t k = 1; k < offsets.size(); ++k) {
        if (cuts[k] <= cuts[k - 1]) throw std::invalid_argument("a polytope must have a point");
    }
}

void check_which(const IndexArray& which, const IndexArray& offsets) {
    to_indices(which, offsets.size() - 1);
}

using Members = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Starting members, or room for them.
std::unique_ptr<std::int64_t[]> members(const std::optional<Members>& start, std::size_t n_pairs,
                                        std::size_t width) {
    auto out = std::make_unique<std::int64_t[]>(checked_product(n_pairs, width));
    if (!start) return out;
    if (start->shape(0) != n_pairs || start->shape(1) != width) {
        throw std::invalid_argument("members to start from must fit the pairs");
    }
    std::copy_n(start->data(), n_pairs * width, out.get());
    return out;
}

using Rotations = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Throws std::invalid_argument unless there are a rotation and a translation for each, or neither.
hull::Polytopes polytopes(const Array2<double>& points, const IndexArray& offsets,
                          const std::optional<Rotations>& rotations,
                          const std::optional<Array2<double>>& translations) {
    hull::Polytopes out{points.data(), offsets.data()};
    if (rotations.has_value() != translations.has_value()) {
        throw std::invalid_argument("a place is a rotation and a translation");
    }
    if (!rotations) return out;
    const std::size_t n = offsets.size() - 1, d = points.shape(1);
    if (rotations->shape(0) != n || rotations->shape(1) != d || rotations->shape(2) != d ||
        translations->shape(0) != n || translations->shape(1) != d) {
        throw std::invalid_argument("every polytope must have a place");
    }
    out.rotations = rotations->data();
    out.translations = translations->data();
    return out;
}

nb::tuple nearest_of_pairs(const Array2<double>& points_a, const IndexArray& offsets_a,
                           const IndexArray& which_a, const Array2<double>& points_b,
                           const IndexArray& offsets_b, const IndexArray& which_b,
                           const NearestOptions& options, std::size_t n_threads,
                           const std::optional<Members>& start_a,
                           const std::optional<Members>& start_b,
                           const std::optional<Rotations>& rotations_a,
                           const std::optional<Array2<double>>& translations_a,
                           const std::optional<Rotations>& rotations_b,
                           const std::optional<Array2<double>>& translations_b) {
    const std::size_t n = which_a.size(), d = points_a.shape(1), width = d + 1;
    if (points_b.shape(1) != d || d == 0) throw std::invalid_argument("dimensions differ");
    if (which_b.size() != n) throw std::invalid_argument("a pair has two polytopes");
    check_offsets(offsets_a, points_a.shape(0));
    check_offsets(offsets_b, points_b.shape(0));
    check_which(which_a, offsets_a);
    check_which(which_b, offsets_b);
    const auto room = [](std::size_t count) { return std::make_unique<double[]>(count); };
    auto distance = room(n), gap = room(n), a = room(n * d), b = room(n * d);
    auto direction = room(n * d);
    auto weight = room(n * width);
    auto outcome = std::make_unique<std::int8_t[]>(n);
    auto iterations = std::make_unique<std::int64_t[]>(n);
    auto member_a = members(start_a, n, width), member_b = members(start_b, n, width);
    {
        const hull::PolytopePairs pairs{n,
                                        d,
                                        polytopes(points_a, offsets_a, rotations_a, translations_a),
                                        polytopes(points_b, offsets_b, rotations_b, translations_b),
                                        which_a.data(),
                                        which_b.data()};
        const bool has_start = start_a.has_value() && start_b.has_value();
        const hull::NearestArrays out{outcome.get(),    distance.get(), gap.get(),
                                      a.get(),          b.get(),        direction.get(),
                                      iterations.get(), member_a.get(), member_b.get(),
                                      weight.get(),     has_start};
        SignalPoll poll;
        nb::gil_scoped_release release;
        hull::nearest_of_pairs(pairs, options, n_threads, out, signal_check(poll));
    }
    return nb::make_tuple(
        new_array<std::int8_t>(std::move(outcome), {n}),
        new_array<double>(std::move(distance), {n}), new_array<double>(std::move(gap), {n}),
        new_array<double>(std::move(a), {n, d}), new_array<double>(std::move(b), {n, d}),
        new_array<double>(std::move(direction), {n, d}),
        new_array<std::int64_t>(std::move(member_a), {n, width}),
        new_array<std::int64_t>(std::move(member_b), {n, width}),
        new_array<double>(std::move(weight), {n, width}),
        new_array<std::int64_t>(std::move(iterations), {n}));
}

nb::tuple nearest_reduced(const Array2<double>& a, const Array1<double>& cap_a,
                          const Array2<double>& b, const Array1<double>& cap_b,
                          const NearestOptions& options) {
    const std::size_t n_a = a.shape(0), n_b = b.shape(0), d = a.shape(1);
    if (b.shape(1) != d || d == 0) throw std::invalid_argument("dimensions differ");
    if (cap_a.size() != n_a || cap_b.size() != n_b || n_a == 0 || n_b == 0) {
        throw std::invalid_argument("every point must have a cap");
    }
    auto coef_a = std::make_unique<double[]>(n_a), coef_b = std::make_unique<double[]>(n_b);
    auto direction = std::make_unique<double[]>(d);
    hull::Nearest found;
    {
        SignalPoll poll;
        nb::gil_scoped_release release;
        found = hull::nearest_reduced(a.data(), cap_a.data(), n_a, b.data(), cap_b.data(), n_b, d,
                                      options, coef_a.get(), coef_b.get(), direction.get(),
                                      signal_check(poll));
    }
    return nb::make_tuple(outcome_name(found.outcome), found.distance, found.gap, found.iterations,
                          new_array<double>(std::move(coef_a), {n_a}),
                          new_array<double>(std::move(coef_b), {n_b}),
                          new_array<double>(std::move(direction), {d}));
}

nb::tuple smallest_ball(const Array2<double>& points, std::size_t max_iterations) {
    const std::size_t n = points.shape(0), d = points.shape(1);
    if (n == 0 || d == 0) throw std::invalid_argument("a ball needs a point");
    hull::Ball ball;
    {
        SignalPoll poll;
        nb::gil_scoped_release release;
        ball = hull::smallest_ball(points.data(), n, d, max_iterations, signal_check(poll));
    }
    return nb::make_tuple(as_array<std::int64_t>(ball.member), as_array<double>(ball.weight),
                          ball.radius, ball.gap, ball.iterations, ball.converged);
}

}  // namespace

void register_hull(nb::module_& m) {
    nb::class_<FrankWolfeOptions>(m, "FrankWolfeOptions")
        .def(nb::init<>())
        .def_rw("joint", &FrankWolfeOptions::joint)
        .def_rw("tolerance", &FrankWolfeOptions::tolerance)
        .def_rw("least_size", &FrankWolfeOptions::least_size)
        .def_rw("stop_by_change", &FrankWolfeOptions::stop_by_change)
        .def_rw("max_iterations", &FrankWolfeOptions::max_iterations)
        .def_rw("max_seconds", &FrankWolfeOptions::max_seconds)
        .def_rw("trace_stride", &FrankWolfeOptions::trace_stride);
    nb::class_<FrankWolfeResult>(m, "FrankWolfeResult")
        .def_prop_ro("status", [](const FrankWolfeResult& r) { return status_name(r.status); })
        .def_ro("iterations", &FrankWolfeResult::iterations)
        .def_ro("gap", &FrankWolfeResult::gap)
        .def_ro("violation", &FrankWolfeResult::violation)
        .def_ro("seconds", &FrankWolfeResult::seconds)
        .def_ro("drifted", &FrankWolfeResult::drifted)
        .def_prop_ro("counters", &counters)
        .def_prop_ro("trace", &trace);
    register_frank_wolfe<float>(m);
    register_frank_wolfe<double>(m);
    nb::class_<NearestOptions>(m, "NearestOptions")
        .def(nb::init<>())
        .def_rw("tolerance", &NearestOptions::tolerance)
        .def_rw("max_iterations", &NearestOptions::max_iterations)
        .def_rw("only_separate", &NearestOptions::only_separate);
    m.def("nearest_of_pairs", &nearest_of_pairs, nb::arg("points_a"), nb::arg("offsets_a"),
          nb::arg("which_a"), nb::arg("points_b"), nb::arg("offsets_b"), nb::arg("which_b"),
          nb::arg("options"), nb::arg("n_threads"), nb::arg("start_a").none() = nb::none(),
          nb::arg("start_b").none() = nb::none(), nb::arg("rotations_a").none() = nb::none(),
          nb::arg("translations_a").none() = nb::none(), nb::arg("rotations_b").none() = nb::none(),
          nb::arg("translations_b").none() = nb::none());
    m.def("nearest_reduced", &nearest_reduced, nb::arg("a"), nb::arg("cap_a"), nb::arg("b"),
          nb::arg("cap_b"), nb::arg("options"));
    m.def("smallest_ball", &smallest_ball, nb::arg("points"), nb::arg("max_iterations"));
}

}  // namespace mercer::bind
