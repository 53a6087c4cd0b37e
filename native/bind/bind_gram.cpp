#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "bind/bind.hpp"
#include "core/problem/point.hpp"

namespace mercer::bind {

namespace {

template <class T>
nb::ndarray<nb::numpy, T> row(Gram<T>& gram, std::size_t index) {
    if (index >= gram.size()) throw nb::index_error("row index out of range");
    auto out = std::make_unique<T[]>(gram.size());
    {
        nb::gil_scoped_release release;
        const auto& cuts = gram.segments();
        for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
            const RowSegment<T> segment = gram.row(index, s);
            std::copy_n(segment.values(), cuts[s + 1] - cuts[s], out.get() + cuts[s]);
        }
    }
    return new_array<T>(std::move(out), {gram.size()});
}

template <class T>
nb::ndarray<nb::numpy, T> block(Gram<T>& gram, const IndexArray& left, const IndexArray& right) {
    const auto rows = to_indices(left, gram.size()), columns = to_indices(right, gram.size());
    auto out = std::make_unique<T[]>(checked_product(rows.size(), columns.size()));
    {
        nb::gil_scoped_release release;
        gram.block(rows, columns, out.get(), columns.size());
    }
    return new_array<T>(std::move(out), {rows.size(), columns.size()});
}

// K[rows, columns] weights; no rows means all of them.
template <class T>
nb::ndarray<nb::numpy, double> product(Gram<T>& gram, const IndexArray& columns,
                                       const Array2<double>& weights,
                                       const std::optional<IndexArray>& rows) {
    const auto left = to_indices(columns, gram.size());
    if (weights.shape(0) != left.size()) throw std::invalid_argument("weights do not fit columns");
    const auto right = rows ? to_indices(*rows, gram.size()) : std::vector<std::size_t>();
    const std::size_t n = rows ? right.size() : gram.size();
    auto out = std::make_unique<double[]>(checked_product(weights.shape(1), n));
    {
        nb::gil_scoped_release release;
        gram.product(left, weights.data(), weights.shape(1), out.get(), SignalPoll(),
                     rows ? &right : nullptr);
    }
    return new_array<double>(std::move(out), {weights.shape(1), n});
}

// (K beta)[index]
template <class T>
nb::ndarray<nb::numpy, double> expanded(Gram<T>& gram, const Array1<double>& beta,
                                        const IndexArray& index) {
    const std::size_t n = beta.size();
    if (index.size() != n || !is_point(beta.data(), index.data(), n, gram.size())) {
        throw std::invalid_argument("a point must be finite, of rows of the gram");
    }
    auto out = std::make_unique<double[]>(n);
    {
        nb::gil_scoped_release release;
        expand_point(gram, beta.data(), index.data(), n, out.get(), SignalPoll());
    }
    return new_array<double>(std::move(out), {n});
}

template <class T>
nb::ndarray<nb::numpy, double> cross_product(const Kernel<T>& kernel, const IndexArray& left,
                                             const Array2<double>& weights, std::size_t n_threads) {
    const auto rows = to_indices(left, kernel.n_left());
    if (weights.shape(0) != rows.size()) throw std::invalid_argument("weights do not fit left");
    auto out = std::make_unique<double[]>(checked_product(weights.shape(1), kernel.n_right()));
    {
        nb::gil_scoped_release release;
        ThreadPool threads(n_threads);
        kernel_product(kernel, threads, rows, weights.data(), weights.shape(1), out.get(),
                       Poll(SignalPoll()));
    }
    return new_array<double>(std::move(out), {weights.shape(1), kernel.n_right()});
}

template <class T>
nb::ndarray<nb::numpy, T> cross_values(const Kernel<T>& kernel, const IndexArray& left,
                                       std::size_t n_threads) {
    const auto rows = to_indices(left, kernel.n_left());
    const std::size_t n = kernel.n_right();
    auto out = std::make_unique<T[]>(checked_product(rows.size(), n));
    {
        nb::gil_scoped_release release;
        // below some thousand values a second thread costs more than it brings
        const bool alone = !kernel.is_parallel() || rows.size() * n < (1 << 14);
        ThreadPool threads(alone ? 1 : n_threads);
        threads.parallel_for(n, 128, [&](std::size_t begin, std::size_t end) {
            kernel.values(rows, begin, end, out.get() + begin, n);
        });
    }
    return new_array<T>(std::move(out), {rows.size(), n});
}

// A client of the threads of a Gram until it leaves.
template <class T>
class Visit {
  public:
    Visit(Gram<T>& gram, std::size_t count) { client_.emplace(gram.threads(), count); }
    void leave() { client_.reset(); }

  private:
    std::optional<ThreadPool::Client> client_;
};

template <class T>
void register_precision(nb::module_& m, const std::string& suffix) {
    nb::class_<Gram<T>>(m, ("Gram" + suffix).c_str(), "Kernel values of rows against themselves.")
        .def(
            "__init__",
            [](Gram<T>* self, std::shared_ptr<Kernel<T>> kernel, std::vector<std::size_t> segments,
               std::size_t cache_bytes, std::size_t n_threads) {
                new (self) Gram<T>(std::move(kernel), std::move(segments), cache_bytes, n_threads);
            },
            nb::arg("kernel"), nb::arg("segments"), nb::arg("cache_bytes"), nb::arg("n_threads"))
        .def_prop_ro("size", &Gram<T>::size)
        .def("diagonal",
             [](const Gram<T>& gram) {
                 auto out = std::make_unique<double[]>(gram.size());
                 std::copy(gram.diagonal().begin(), gram.diagonal().end(), out.get());
                 return new_array<double>(std::move(out), {gram.size()});
             })
        .def("row", &row<T>, nb::arg("index"))
        .def("block", &block<T>, nb::arg("left"), nb::arg("right"))
        .def("product", &product<T>, nb::arg("columns"), nb::arg("weights"),
             nb::arg("rows").none() = nb::none())
        .def("expand", &expanded<T>, nb::arg("beta"), nb::arg("index"))
        .def_prop_ro("n_evaluations", &Gram<T>::n_evaluations)
        .def_prop_ro("work", [](const Gram<T>& gram) { return gram.kernel().work(); })
        .def_prop_ro("n_hits", &Gram<T>::n_hits)
        .def_prop_ro("n_misses", &Gram<T>::n_misses)
        .def_prop_ro(
            "n_blocks", [](Gram<T>& gram) { return gram.arena().n_blocks(); },
            "Blocks of memory ever made for solves.");
    nb::class_<Visit<T>>(m, ("Visit" + suffix).c_str())
        .def(nb::init<Gram<T>&, std::size_t>(), nb::arg("gram"), nb::arg("count"),
             nb::keep_alive<1, 2>())
        .def("leave", &Visit<T>::leave);
    m.def("cross_product", &cross_product<T>, nb::arg("kernel"), nb::arg("left"),
          nb::arg("weights"), nb::arg("n_threads"));
    m.def("cross_values", &cross_values<T>, nb::arg("kernel"), nb::arg("left"),
          nb::arg("n_threads"));
}

}  // namespace

void register_gram(nb::module_& m) {
    register_precision<float>(m, "Single");
    register_precision<double>(m, "Double");
}

}  // namespace mercer::bind
