#include "core/online/kept_rows.hpp"

#include <algorithm>

namespace mercer::online {

namespace {

constexpr std::ptrdiff_t ahead = 8;

// A row with room for a quarter more values than there are. Values of free slots are never
// looked at, but they are added up, and must be numbers.
template <class T>
Buffer<T> roomy_row(const T* values, std::size_t count, std::size_t n_slots) {
    Buffer<T> row(n_slots + n_slots / 4 + 16);
    std::copy_n(values, count, row.data());
    std::fill(row.data() + count, row.data() + row.size(), T(0));
    return row;
}

}  // namespace

template <class T>
void KeptRows<T>::put(std::size_t slot, const T* values) {
    while (n_slots() <= slot) {
        free_.insert(n_slots());
        rows_.emplace_back();
        filled_.push_back(0);
        fresh_.push_back(0);
        curvature_.push_back(0.0);
    }
    assert(!is_kept(slot));
    free_.erase(slot);
    rows_[slot] = roomy_row(values, n_slots(), n_slots());
    curvature_[slot] = double(values[slot]);
    filled_[slot] = fresh_[slot] = ++now_;
    log_.push_back({now_, slot});
    trim_log();
}

template <class T>
void KeptRows<T>::remove(std::size_t slot) {
    assert(is_kept(slot));
    filled_[slot] = 0;
    rows_[slot] = Buffer<T>();
    free_.insert(slot);
    while (!free_.empty() && *free_.rbegin() + 1 == n_slots()) {
        free_.erase(n_slots() - 1);
        rows_.pop_back();
        filled_.pop_back();
        fresh_.pop_back();
        curvature_.pop_back();
    }
}

// Slots that were filled, or filled again, after the row was looked at have its value in their own
// row: kernels are symmetric.
template <class T>
const T* KeptRows<T>::row(std::size_t slot) {
    assert(is_kept(slot));
    lengthen(slot);
    if (fresh_[slot] < now_) {
        const auto later = [](std::uint64_t time, const Fill& fill) { return time < fill.time; };
        auto fill = std::upper_bound(log_.begin(), log_.end(), fresh_[slot], later);
        T* own = rows_[slot].data();
        for (; fill != log_.end(); ++fill) {
            // each value is far from the others: several are on their way at a time
            if (log_.end() - fill > ahead && is_current(fill[ahead])) {
                __builtin_prefetch(rows_[fill[ahead].slot].data() + slot);
            }
            if (is_current(*fill)) own[fill->slot] = rows_[fill->slot][slot];
        }
        fresh_[slot] = now_;
    }
    return rows_[slot].data();
}

template <class T>
void KeptRows<T>::lengthen(std::size_t slot) {
    const std::size_t before = rows_[slot].size();
    if (before < n_slots()) rows_[slot] = roomy_row(rows_[slot].data(), before, n_slots());
}

// Fills that were undone or done again are of no use.
template <class T>
void KeptRows<T>::trim_log() {
    if (log_.size() <= 2 * n_slots() + 64) return;
    std::erase_if(log_, [this](const Fill& fill) { return !is_current(fill); });
}

template <class T>
std::vector<std::size_t> KeptRows<T>::compact() {
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < n_slots(); ++s) {
        if (is_kept(s)) kept.push_back(s);
    }
    std::vector<Buffer<T>> rows(kept.size());
    std::vector<T> values(kept.size());
    for (std::size_t to = 0; to < kept.size(); ++to) {
        const T* from = row(kept[to]);
        for (std::size_t c = 0; c < kept.size(); ++c) values[c] = from[kept[c]];
        rows[to] = roomy_row(values.data(), values.size(), values.size());
        curvature_[to] = curvature_[kept[to]];
    }
    curvature_.resize(kept.size());
    rows_ = std::move(rows);
    free_.clear();
    log_.clear();
    now_ = 1;
    filled_.assign(kept.size(), now_);
    fresh_.assign(kept.size(), now_);
    return kept;
}

template <class T>
std::size_t KeptRows<T>::bytes() const {
    std::size_t total = 0;
    for (const Buffer<T>& row : rows_) total += row.size() * sizeof(T);
    return total;
}

template class KeptRows<float>;
template class KeptRows<double>;

}  // namespace mercer::online
