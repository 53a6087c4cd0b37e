#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bind/bind.hpp"
#include "core/multiclass/pair_votes.hpp"

namespace mercer::bind {

namespace {

void check_pairs(const Array2<double>& decisions, std::size_t n_classes) {
    if (decisions.shape(1) != n_classes * (n_classes - 1) / 2) {
        throw std::invalid_argument("there must be one value for each pair of classes");
    }
}

// Calls use(row, decisions) for each row.
template <class Use>
void each_row(const Array2<double>& decisions, std::size_t n_classes, const Use& use) {
    check_pairs(decisions, n_classes);
    const nb::gil_scoped_release release;
    for (std::size_t r = 0; r < decisions.shape(0); ++r) {
        use(r, decisions.data() + r * decisions.shape(1));
    }
}

// Number of pairs of sums over the support vectors of each class, (n_classes, n_rows, n_classes -
// 1).
std::size_t check_sums(const Array3<double>& by_class, const Array1<double>& intercept) {
    const std::size_t n_classes = by_class.shape(0), n_pairs = n_classes * (n_classes - 1) / 2;
    if (by_class.shape(2) + 1 != n_classes || intercept.shape(0) != n_pairs) {
        throw std::invalid_argument("there must be one value for each pair of classes");
    }
    return n_pairs;
}

nb::ndarray<nb::numpy, double> pair_decisions(const Array3<double>& by_class,
                                              const Array1<double>& intercept) {
    const std::size_t n_classes = by_class.shape(0), n = by_class.shape(1);
    const std::size_t n_pairs = check_sums(by_class, intercept);
    auto out = std::make_unique_for_overwrite<double[]>(n * n_pairs);
    {
        const nb::gil_scoped_release release;
        for (std::size_t r = 0; r < n; ++r) {
            multiclass::pair_decisions(by_class.data() + r * (n_classes - 1), n * (n_classes - 1),
                                       intercept.data(), n_classes, out.get() + r * n_pairs);
        }
    }
    return new_array<double>(std::move(out), {n, n_pairs});
}

// The class of each row from such sums: the values of its pairs are not kept.
nb::ndarray<nb::numpy, std::int64_t> pair_classes(const Array3<double>& by_class,
                                                  const Array1<double>& intercept,
                                                  bool breaks_ties) {
    const std::size_t n_classes = by_class.shape(0), n = by_class.shape(1);
    std::vector<double> decisions(check_sums(by_class, intercept)), votes, totals;
    auto out = std::make_unique<std::int64_t[]>(n);
    {
        const nb::gil_scoped_release release;
        for (std::size_t r = 0; r < n; ++r) {
            multiclass::pair_decisions(by_class.data() + r * (n_classes - 1), n * (n_classes - 1),
                                       intercept.data(), n_classes, decisions.data());
            out[r] = std::int64_t(
                breaks_ties ? multiclass::pair_winner(decisions.data(), n_classes, votes, totals)
                            : multiclass::most_voted(decisions.data(), n_classes, votes));
        }
    }
    return new_array<std::int64_t>(std::move(out), {n});
}

nb::ndarray<nb::numpy, double> pair_scores(const Array2<double>& decisions, std::size_t n_classes) {
    auto out = std::make_unique<double[]>(decisions.shape(0) * n_classes);
    std::vector<double> totals;
    each_row(decisions, n_classes, [&](std::size_t r, const double* own) {
        multiclass::pair_scores(own, n_classes, out.get() + r * n_classes, totals);
    });
    return new_array<double>(std::move(out), {decisions.shape(0), n_classes});
}

// The class of the largest score; ties go to the first.
nb::ndarray<nb::numpy, std::int64_t> pair_winners(const Array2<double>& decisions,
                                                  std::size_t n_classes) {
    auto out = std::make_unique<std::int64_t[]>(decisions.shape(0));
    std::vector<double> scores, totals;
    each_row(decisions, n_classes, [&](std::size_t r, const double* own) {
        out[r] = std::int64_t(multiclass::pair_winner(own, n_classes, scores, totals));
    });
    return new_array<std::int64_t>(std::move(out), {decisions.shape(0)});
}

nb::ndarray<nb::numpy, std::int64_t> pair_votes(const Array2<double>& decisions,
                                                std::size_t n_classes) {
    const std::size_t n = decisions.shape(0);
    auto out = std::make_unique<std::int64_t[]>(n * n_classes);
    std::vector<double> votes(n_classes);
    each_row(decisions, n_classes, [&](std::size_t r, const double* own) {
        multiclass::count_votes(own, n_classes, votes.data());
        std::ranges::transform(votes, out.get() + r * n_classes,
                               [](double v) { return std::int64_t(v); });
    });
    return new_array<std::int64_t>(std::move(out), {n, n_classes});
}

}  // namespace

void register_pair_votes(nb::module_& m) {
    m.def("pair_decisions", &pair_decisions, nb::arg("by_class"), nb::arg("intercept"));
    m.def("pair_classes", &pair_classes, nb::arg("by_class"), nb::arg("intercept"),
          nb::arg("breaks_ties"));
    m.def("pair_scores", &pair_scores, nb::arg("decisions"), nb::arg("n_classes"));
    m.def("pair_winners", &pair_winners, nb::arg("decisions"), nb::arg("n_classes"));
    m.def("pair_votes", &pair_votes, nb::arg("decisions"), nb::arg("n_classes"));
}

}  // namespace mercer::bind
