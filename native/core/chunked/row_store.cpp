#include "core/chunked/row_store.hpp"

#include <algorithm>
#include <chrono>

namespace mercer::chunked {

namespace {

// Keeping a value costs about as much as computing one of this price: fresh memory, the way there
// and back.
constexpr double price_of_keeping = 2.2e-9;
// Rows are kept if one in ten comes back within the first chunks. Where none does most variables
// find their value in one go, and a kept row is hardly ever asked for again.
constexpr std::size_t one_in = 10, first_chunks = 4;

}  // namespace

template <class T>
RowStore<T>::RowStore(Gram<T>& gram, const ProblemView& problem, std::size_t rows_at_once,
                      KernelRows choice)
    : gram_(gram) {
    if (choice == KernelRows::whole) {
        whole_ = gram.whole();
        is_open_ = true;
        return;
    }
    find_segments(problem);
    price_ = measured_price();
    const bool may_keep_rows = may_keep(rows_at_once, choice);
    is_open_ = may_keep_rows && choice == KernelRows::kept;
    may_open_ = may_keep_rows && !is_open_;
    if (may_open_) was_used_.assign(gram.size(), false);
}

template <class T>
void RowStore<T>::find_segments(const ProblemView& problem) {
    const std::vector<std::size_t>& cuts = gram_.segments();
    std::vector<std::uint8_t> is_used(gram_.size(), false);
    for (std::size_t v = 0; v < problem.n_variables; ++v) is_used[std::size_t(problem.index[v])] = true;
    std::size_t width = 0;
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
        const auto begin = is_used.begin() + std::ptrdiff_t(cuts[s]);
        const auto end = is_used.begin() + std::ptrdiff_t(cuts[s + 1]);
        if (std::find(begin, end, true) == end) continue;
        segments_.push_back(s);
        width += cuts[s + 1] - cuts[s];
    }
    capacity_ = gram_.cache_bytes() / sizeof(T) / std::max<std::size_t>(width, 1);
}

template <class T>
bool RowStore<T>::may_keep(std::size_t rows_at_once, KernelRows choice) const {
    if (gram_.kernel().has_fast_product()) return false;
    if (choice != KernelRows::automatic) return choice == KernelRows::kept;
    if (!gram_.kernel().is_parallel()) return false;
    if (capacity_ < std::min(2 * rows_at_once, gram_.size())) return false;
    return price_ > price_of_keeping;
}

template <class T>
void RowStore<T>::notice(const std::vector<std::size_t>& rows, std::size_t n_columns) {
    may_open_ = may_open_ && 4 * n_columns > 3 * gram_.size();
    if (!may_open_) return;
    std::size_t back = 0;
    for (const std::size_t row : rows) {
        back += was_used_[row];
        was_used_[row] = true;
    }
    is_open_ = one_in * back > rows.size();
    may_open_ = !is_open_ && ++n_noticed_ < first_chunks;
}

// The shortest of a few trials, each some microseconds: other work on the machine disturbs.
template <class T>
double RowStore<T>::measured_price() const {
    const std::size_t n = gram_.size(), height = std::min<std::size_t>(n, 48);
    const std::size_t width = std::min<std::size_t>(n, 512);
    if (n < 2 || !gram_.kernel().is_parallel()) return 0.0;
    std::vector<std::size_t> rows(height);
    for (std::size_t r = 0; r < height; ++r) rows[r] = r * (n / height);
    Buffer<T> block(height * width);
    double shortest = 1e300;
    for (int trial = 0; trial < 5; ++trial) {
        const auto began = std::chrono::steady_clock::now();
        gram_.kernel().values(rows, 0, width, block.data(), width);
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
        if (whole_) {
            std::vector<const T*> values;
            for (const std::size_t row : some) values.push_back(whole_ + row * gram_.whole_stride());
            gram_.add_stored(values, &w[i], 1, 0, gram_.size(), out);
        } else {
            for (const std::size_t s : segments_) add_segment(some, s, &w[i], out);
        }
        if (poll && !poll()) return false;
    }
    watch_cache(gram_.n_hits() - hits, gram_.n_misses() - misses);
    return true;
}

template <class T>
void RowStore<T>::add_segment(Indices rows, std::size_t segment, const T* weights, double* out) {
    const std::vector<RowSegment<T>> held = gram_.rows(rows, segment);
    std::vector<const T*> values(held.size());
    std::ranges::transform(held, values.begin(), [](const auto& row) { return row.values(); });
    gram_.add_stored(values, weights, 1, gram_.segments()[segment], gram_.segments()[segment + 1],
                     out);
}

template <class T>
void RowStore<T>::watch_cache(std::size_t hits, std::size_t misses) {
    if (whole_) return;
    kept_ += misses / std::max<std::size_t>(segments_.size(), 1);
    if (kept_ > capacity_ && misses > hits) is_open_ = false;
}

template class RowStore<float>;
template class RowStore<double>;

}  // namespace mercer::chunked
