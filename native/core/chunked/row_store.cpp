#include "core/chunked/row_store.hpp"

#include <algorithm>
#include <chrono>

namespace mercer::chunked {

namespace {

// Seconds to keep a value that was computed, in fresh memory, and to read it again.
constexpr double keeping = 1.0e-9, reading = 0.3e-9;
// How often a row comes back, next to the share of rows that came back this time.
constexpr double uses_to_come = 2.0;

}  // namespace

template <class T>
RowStore<T>::RowStore(Gram<T>& gram, const ProblemView& problem, std::size_t rows_at_once,
                      RowPolicy choice)
    : gram_(gram) {
    if (choice == RowPolicy::full) {
        full_matrix_ = gram.full_matrix();
        return;
    }
    find_segments(problem);
    costs_ = {measured_cost(48), measured_cost(1)};
    may_keep_ = choice != RowPolicy::computed && !gram.kernel().has_fast_product();
    always_keeps_ = may_keep_ && choice == RowPolicy::kept;
    if (always_keeps_ || !may_keep_) return;
    may_keep_ = gram.kernel().is_parallel() && capacity_ >= std::min(2 * rows_at_once, gram.size());
    was_used_.assign(may_keep_ ? gram.size() : 0, false);
}

template <class T>
void RowStore<T>::find_segments(const ProblemView& problem) {
    const std::vector<std::size_t>& cuts = gram_.segments();
    std::vector<std::uint8_t> is_used(gram_.size(), false);
    for (std::size_t v = 0; v < problem.n_variables; ++v)
        is_used[std::size_t(problem.index[v])] = true;
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
        const auto begin = is_used.begin() + std::ptrdiff_t(cuts[s]);
        const auto end = is_used.begin() + std::ptrdiff_t(cuts[s + 1]);
        if (std::find(begin, end, true) == end) continue;
        segments_.push_back(s);
        width_ += cuts[s + 1] - cuts[s];
    }
    capacity_ = gram_.cache_bytes() / sizeof(T) / std::max<std::size_t>(width_, 1);
}

template <class T>
void RowStore<T>::notice(const std::vector<std::size_t>& rows) {
    if (was_used_.empty() || rows.empty()) return;
    std::size_t back = 0;
    for (const std::size_t row : rows) {
        back += was_used_[row];
        was_used_[row] = true;
    }
    share_back_ = double(back) / double(rows.size());
}

// Whether or not a row is kept, it is computed once for all columns: in the end for those that were
// left out. Kept it need not be computed for the share that is asked for whenever it comes back.
template <class T>
bool RowStore<T>::pays(const std::vector<std::size_t>& rows, std::size_t n_columns) const {
    if (full_matrix_ || always_keeps_) return true;
    if (!may_keep_) return false;
    const double held = double(gram_.n_held(rows, segments_[0]));
    const double missing = double(rows.size()) - held;
    const double again = held + uses_to_come * share_back_ * missing;
    const double share = std::min(double(n_columns) / double(width_), 1.0);
    return costs_.value * share * again > keeping * missing + reading * (missing + again);
}

template <class T>
void RowStore<T>::learn_cost(std::size_t n_values, double seconds) {
    constexpr std::size_t enough = 100000;
    if (n_values < enough) return;
    const double cost = seconds * double(gram_.threads().n_threads()) / double(n_values);
    costs_.value = std::min(costs_.value, cost);
}

// Of some rows, `together` at a time. The shortest of a few trials, each some microseconds: other
// work on the machine disturbs.
template <class T>
double RowStore<T>::measured_cost(std::size_t together) const {
    const std::size_t n = gram_.size(), height = std::min<std::size_t>(n, together > 1 ? 48 : 8);
    const std::size_t width = std::min<std::size_t>(n, 512);
    if (n < 2 || !gram_.kernel().is_parallel()) return 0.0;
    std::vector<std::size_t> rows(height);
    for (std::size_t r = 0; r < height; ++r) rows[r] = r * (n / height);
    Buffer<T> block(height * width);
    double shortest = 1e300;
    for (int trial = 0; trial < 5; ++trial) {
        const auto began = std::chrono::steady_clock::now();
        for (std::size_t r = 0; r < height; r += together) {
            const Indices some = Indices(rows).subspan(r, std::min(together, height - r));
            gram_.kernel().values(some, 0, width, &block[r * width], width);
        }
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
        shortest = std::min(shortest, passed.count());
    }
    return shortest / double(height * width);
}

template <class T>
bool RowStore<T>::product(const std::vector<std::size_t>& rows, const double* weights, double* out,
                          const Poll& poll) {
    constexpr std::size_t batch = Gram<T>::stored_batch;
    std::fill_n(out, gram_.size(), 0.0);
    const std::vector<T> w(weights, weights + rows.size());
    const std::size_t hits = gram_.n_hits(), misses = gram_.n_misses();
    for (std::size_t i = 0; i < rows.size(); i += batch) {
        const Indices some = Indices(rows).subspan(i, std::min(batch, rows.size() - i));
        if (full_matrix_) {
            std::vector<const T*> values;
            for (const std::size_t row : some)
                values.push_back(full_matrix_ + row * gram_.full_stride());
            gram_.add_stored(values, &w[i], 1, 0, gram_.size(), out);
        } else {
            for (const std::size_t s : segments_) gram_.add_rows(some, &w[i], s, out);
        }
        if (poll && !poll()) return false;
    }
    watch_cache(gram_.n_hits() - hits, gram_.n_misses() - misses);
    return true;
}

template <class T>
void RowStore<T>::watch_cache(std::size_t hits, std::size_t misses) {
    if (full_matrix_) return;
    kept_ += misses / std::max<std::size_t>(segments_.size(), 1);
    if (kept_ > capacity_ && misses > hits) may_keep_ = always_keeps_ = false;
}

template class RowStore<float>;
template class RowStore<double>;

}  // namespace mercer::chunked
