#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>

#include "bind/bind.hpp"
#include "core/base/run.hpp"
#include "core/online/learner.hpp"

namespace mercer::bind {

namespace {

using online::Joiner;
using online::Learner;
using online::Options;
using online::RowSource;
using online::Terms;

template <class T>
using Values = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Linear term, lower and upper bound of each variable, function after function.
using TermsArray = Array2<double>;

void require(bool condition, const char* fault) {
    if (!condition) throw std::invalid_argument(fault);
}

const Terms* read_terms(const TermsArray& terms, std::size_t n_rows, const Options& options) {
    static_assert(sizeof(Terms) == 3 * sizeof(double));
    require(terms.shape(0) == n_rows &&
                terms.shape(1) == 3 * options.n_functions * options.variables_per_row,
            "terms do not fit the examples");
    return reinterpret_cast<const Terms*>(terms.data());
}

// With the options it was made with.
template <class T>
struct BoundLearner {
    explicit BoundLearner(const Options& given) : options(given), learner(given) {}
    BoundLearner(const BoundLearner&) = delete;
    Options options;
    Learner<T> learner;
};

// With the rows that it reads.
template <class T>
struct BoundJoiner {
    std::vector<nb::object> owners;
    Joiner<T> joiner;
};

online::GivenRows given_rows(const nb::object& rows) {
    Array2<float> single;
    if (nb::try_cast(rows, single, false)) return {single.data(), nullptr, single.shape(0)};
    const auto wide = nb::cast<Array2<double>>(rows, false);
    return {nullptr, wide.data(), wide.shape(0)};
}

// Parts: rows as they were given, float32 or float64, and packed.
template <class T>
void make_joiner(BoundJoiner<T>* self, double gamma, bool by_differences, std::vector<double> scale,
                 const std::vector<std::pair<nb::object, std::shared_ptr<Rows<T>>>>& parts) {
    require(!parts.empty(), "a joiner needs rows");
    std::vector<nb::object> owners;
    std::vector<typename Joiner<T>::Part> read;
    const std::size_t n_features = parts.back().second->n_features();
    require(scale.empty() || scale.size() == n_features, "scale does not fit the rows");
    for (const auto& [rows, packed] : parts) {
        const online::GivenRows given = given_rows(rows);
        require(given.n_rows == packed->size() && packed->n_features() == n_features,
                "parts do not fit each other");
        owners.push_back(rows);
        read.push_back({given, packed});
    }
    const LeafParameters leaf{LeafKind::gaussian, gamma, 0.0, 1};
    new (self) BoundJoiner<T>{std::move(owners),
                              Joiner<T>(leaf, by_differences, std::move(scale), std::move(read))};
}

template <class T>
nb::ndarray<nb::numpy, double> joined_rows(const BoundJoiner<T>& self) {
    const std::vector<double>& rows = self.joiner.rows();
    const std::size_t d = self.joiner.n_features();
    auto out = std::make_unique<double[]>(rows.size());
    std::copy(rows.begin(), rows.end(), out.get());
    return new_array<double>(std::move(out), {rows.size() / std::max<std::size_t>(d, 1), d});
}

template <class T>
void register_joiner(nb::module_& m, const char* name) {
    nb::class_<BoundJoiner<T>>(m, name, "Makes rows between two others.")
        .def("__init__", &make_joiner<T>, nb::arg("gamma"), nb::arg("by_differences"),
             nb::arg("scale"), nb::arg("parts"))
        .def("rows", &joined_rows<T>);
}

template <class T>
void make_row_source(RowSource<T>* self,
                     std::vector<std::vector<std::shared_ptr<Kernel<T>>>> kernels) {
    std::vector<std::vector<KernelPointer<T>>> read;
    for (const auto& part : kernels) {
        require(part.size() == kernels.size(), "a row source needs a kernel of each two parts");
        for (std::size_t q = 0; q < part.size(); ++q) {
            require(part[q]->n_left() == part[0]->n_left() &&
                        part[q]->n_right() == kernels[q][0]->n_left(),
                    "kernels do not fit each other");
        }
        read.emplace_back(part.begin(), part.end());
    }
    new (self) RowSource<T>(std::move(read));
}

// The slot of each column, some of them of none (-1); every kept example has one.
template <class T>
std::vector<std::size_t> to_columns(const IndexArray& slots, const Learner<T>& learner) {
    std::vector<std::size_t> columns(slots.size(), Extremes::nowhere);
    std::size_t n_found = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::int64_t slot = slots.data()[c];
        if (slot < 0) continue;
        require(std::size_t(slot) < learner.rows().n_slots() &&
                    learner.rows().is_kept(std::size_t(slot)),
                "there is no such example");
        columns[c] = std::size_t(slot);
        ++n_found;
    }
    require(n_found == learner.rows().n_kept(), "every kept example needs its values");
    return columns;
}

template <class T>
void check_source(const RowSource<T>* source, const Learner<T>& learner, std::size_t n_columns,
                  std::size_t n_rows) {
    require(source || !learner.rows().may_lack(n_rows), "kernel rows need a source");
    require(!source || source->n_places() == n_columns + n_rows, "source does not fit the rows");
}

// Signals are looked at between examples, and the clock.
template <class T>
std::size_t take(BoundLearner<T>& self, const IndexArray& ids, const TermsArray& terms,
                 const Values<T>& with_kept, const IndexArray& slots,
                 const Values<T>& with_each_other, double max_seconds, BoundJoiner<T>* joiner,
                 const RowSource<T>* source) {
    const std::size_t n = ids.size();
    const Learner<T>& learner = self.learner;
    const std::vector<std::size_t> columns = to_columns(slots, learner);
    require(with_kept.shape(0) == n && with_kept.shape(1) == columns.size(),
            "values do not fit the kept examples");
    require(with_each_other.shape(0) == n && with_each_other.shape(1) == n,
            "values do not fit the examples");
    require(!joiner || joiner->joiner.n_given() == columns.size() + n,
            "rows do not fit the examples");
    check_source(source, learner, columns.size(), n);
    const online::Block<T> block{n,
                                 ids.data(),
                                 read_terms(terms, n, self.options),
                                 with_kept.data(),
                                 columns,
                                 with_each_other.data(),
                                 joiner ? &joiner->joiner : nullptr,
                                 source};
    nb::gil_scoped_release release;
    const Clock clock;
    SignalPoll signals;
    return self.learner.take(block, [&] { return signals() && clock.seconds() < max_seconds; });
}

template <class T>
std::vector<std::size_t> kept_slots(const Learner<T>& learner) {
    std::vector<std::size_t> slots;
    for (std::size_t s = 0; s < learner.rows().n_slots(); ++s) {
        if (learner.rows().is_kept(s)) slots.push_back(s);
    }
    return slots;
}

// The next kept examples of a saved machine; values are those with all that are to be loaded.
// Without gradients restart has to follow.
template <class T>
void load(BoundLearner<T>& self, const IndexArray& slots, const IndexArray& ids,
          const Array2<T>& values, const TermsArray& terms, const Array2<double>& beta,
          const std::optional<Array2<double>>& gradient) {
    const std::size_t n = ids.size(),
                      width = self.options.n_functions * self.options.variables_per_row;
    const Terms* read = read_terms(terms, n, self.options);
    std::vector<std::size_t> columns = kept_slots(self.learner);
    const std::size_t n_before = columns.size();
    std::int64_t last = std::int64_t(self.learner.rows().n_slots()) - 1;
    require(slots.size() == n && values.shape(0) == n && values.shape(1) >= n_before + n &&
                beta.shape(0) == n && beta.shape(1) == width,
            "parts do not fit each other");
    require(!gradient || (gradient->shape(0) == n && gradient->shape(1) == width),
            "gradients do not fit");
    for (std::size_t i = 0; i < n; ++i) {
        require(slots.data()[i] > last, "slots must ascend");
        last = slots.data()[i];
        columns.push_back(std::size_t(last));
    }
    nb::gil_scoped_release release;
    const std::vector<double> none(width, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t slot = columns[n_before + i];
        std::vector<T> row(slot + 1, T(0));
        for (std::size_t j = 0; j <= n_before + i; ++j) {
            row[columns[j]] = values.data()[i * values.shape(1) + j];
        }
        self.learner.load(slot, ids.data()[i], row.data(), read + i * width,
                          beta.data() + i * width,
                          gradient ? gradient->data() + i * width : none.data());
    }
}

template <class T>
void restart(BoundLearner<T>& self, const Array2<double>& beta, const IndexArray& slots,
             const RowSource<T>* source) {
    const Learner<T>& learner = self.learner;
    require(beta.shape(0) == learner.rows().n_kept() &&
                beta.shape(1) == self.options.n_functions * self.options.variables_per_row,
            "coefficients do not fit");
    const std::vector<std::size_t> columns = to_columns(slots, learner);
    check_source(source, learner, columns.size(), 0);
    const online::Block<T> block{0, nullptr, nullptr, nullptr, columns, nullptr, nullptr, source};
    nb::gil_scoped_release release;
    self.learner.restart(beta.data(), block);
}

template <class T>
nb::ndarray<nb::numpy, std::int64_t> slots_of(const BoundLearner<T>& self, const IndexArray& ids) {
    auto out = std::make_unique<std::int64_t[]>(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::size_t slot = self.learner.slot_of(ids.data()[i]);
        out[i] = slot < self.learner.rows().n_slots() ? std::int64_t(slot) : -1;
    }
    return new_array<std::int64_t>(std::move(out), {ids.size()});
}

// out[i * width + v] of the variables v of the kept slots i.
template <class T, class Field>
nb::ndarray<nb::numpy, double> by_slot(const BoundLearner<T>& self, std::size_t fields,
                                       Field field) {
    const std::vector<std::size_t> slots = kept_slots(self.learner);
    const std::size_t width = self.options.n_functions * self.options.variables_per_row * fields;
    auto out = std::make_unique<double[]>(slots.size() * width);
    double* next = out.get();
    for (const std::size_t slot : slots) {
        for (const auto& function : self.learner.functions()) {
            for (const online::Variables& these : function.variables()) {
                field(these, slot, next);
                next += fields;
            }
        }
    }
    return new_array<double>(std::move(out), {slots.size(), width});
}

template <class T>
nb::dict state(const BoundLearner<T>& self) {
    const std::vector<std::size_t> slots = kept_slots(self.learner);
    std::vector<std::int64_t> ids;
    for (const std::size_t slot : slots) ids.push_back(self.learner.ids()[slot]);
    nb::dict out;
    out["slots"] = as_array<std::int64_t>(slots);
    out["ids"] = as_array<std::int64_t>(ids);
    using online::Variables;
    out["terms"] = by_slot(self, 3, [](const Variables& v, std::size_t s, double* to) {
        to[0] = v.linear[s];
        to[1] = v.lower[s];
        to[2] = v.upper[s];
    });
    out["beta"] =
        by_slot(self, 1, [](const Variables& v, std::size_t s, double* to) { *to = v.beta[s]; });
    out["gradient"] = by_slot(
        self, 1, [](const Variables& v, std::size_t s, double* to) { *to = v.gradient[s]; });
    return out;
}

template <class T, class Field>
nb::ndarray<nb::numpy, double> by_function(const BoundLearner<T>& self, Field field) {
    std::vector<double> values;
    for (const auto& function : self.learner.functions()) values.push_back(field(function));
    return as_array<double>(values);
}

template <class T>
std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, double>> take_merges(
    BoundLearner<T>& self) {
    std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, double>> out;
    for (const online::Merge& m : self.learner.take_merges()) {
        out.emplace_back(m.merged, m.first, m.second, m.share);
    }
    return out;
}

template <class T>
void register_precision(nb::module_& m, const char* name) {
    using Bound = BoundLearner<T>;
    using online::Function;
    nb::class_<Bound>(m, name, "Examples kept of a stream, and functions of them.")
        .def(nb::init<const Options&>(), nb::arg("options"))
        .def("take", &take<T>, nb::arg("ids"), nb::arg("terms"), nb::arg("with_kept").noconvert(),
             nb::arg("slots"), nb::arg("with_each_other").noconvert(), nb::arg("max_seconds"),
             nb::arg("joiner").none(), nb::arg("source").none())
        .def("load", &load<T>, nb::arg("slots"), nb::arg("ids"), nb::arg("values").noconvert(),
             nb::arg("terms"), nb::arg("beta"), nb::arg("gradient").none())
        .def("restart", &restart<T>, nb::arg("beta"), nb::arg("slots"), nb::arg("source").none())
        .def(
            "may_lack",
            [](const Bound& self, std::size_t n) { return self.learner.rows().may_lack(n); },
            nb::arg("n_new"))
        .def("slots_of", &slots_of<T>, nb::arg("ids"))
        .def("state", &state<T>)
        .def("biases",
             [](const Bound& self) {
                 return by_function(self, [](const Function<T>& f) { return f.bias(); });
             })
        .def("objectives",
             [](const Bound& self) {
                 return by_function(self, [](const Function<T>& f) { return f.objective(); });
             })
        .def("violations",
             [](const Bound& self) {
                 return by_function(self,
                                    [](const Function<T>& f) { return f.ends().violation(); });
             })
        .def("take_merges", &take_merges<T>)
        .def_prop_rw(
            "n_merged", [](Bound& self) { return self.learner.n_merged(); },
            [](Bound& self, std::size_t count) { self.learner.n_merged() = count; })
        .def_prop_ro("n_taken", [](const Bound& self) { return self.learner.n_taken(); })
        .def_prop_ro("n_kept", [](const Bound& self) { return self.learner.rows().n_kept(); })
        .def_prop_ro("n_slots", [](const Bound& self) { return self.learner.rows().n_slots(); })
        .def_prop_ro("bytes", [](const Bound& self) { return self.learner.rows().bytes(); })
        .def_prop_ro("n_held", [](const Bound& self) { return self.learner.rows().n_held(); })
        .def_prop_ro("n_computed",
                     [](const Bound& self) { return self.learner.rows().n_computed(); });
}

template <class T>
void register_row_source(nb::module_& m, const char* name) {
    nb::class_<RowSource<T>>(m, name, "Kernel rows of rows in several parts.")
        .def("__init__", &make_row_source<T>, nb::arg("kernels"));
}

online::Eviction eviction(const std::string& name) {
    if (name == "removal") return online::Eviction::removal;
    if (name == "projection") return online::Eviction::projection;
    if (name == "merging") return online::Eviction::merging;
    throw std::invalid_argument("unknown eviction " + name);
}

online::Selection selection(const std::string& name) {
    if (name == "second-order") return online::Selection::second_order;
    if (name == "most-violating") return online::Selection::most_violating;
    throw std::invalid_argument("unknown selection " + name);
}

}  // namespace

void register_online(nb::module_& m) {
    nb::class_<Options>(m, "OnlineOptions")
        .def(
            "__init__",
            [](Options* self, std::size_t n_functions, std::size_t variables_per_row,
               const std::string& select, double tolerance, std::size_t n_reprocess,
               std::size_t max_kept, const std::string& evict, std::size_t max_row_bytes) {
                require(n_functions > 0 && variables_per_row > 0 && variables_per_row <= 2,
                        "1 or 2 variables per row");
                new (self)
                    Options{n_functions, variables_per_row, selection(select), tolerance,
                            n_reprocess, max_kept,          eviction(evict),   max_row_bytes};
            },
            nb::arg("n_functions"), nb::arg("variables_per_row"), nb::arg("selection"),
            nb::arg("tolerance"), nb::arg("n_reprocess"), nb::arg("max_kept"), nb::arg("eviction"),
            nb::arg("max_row_bytes"));
    register_joiner<float>(m, "JoinerSingle");
    register_joiner<double>(m, "JoinerDouble");
    register_row_source<float>(m, "RowSourceSingle");
    register_row_source<double>(m, "RowSourceDouble");
    register_precision<float>(m, "LearnerSingle");
    register_precision<double>(m, "LearnerDouble");
}

}  // namespace mercer::bind
