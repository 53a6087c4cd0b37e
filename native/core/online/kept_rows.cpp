#include "core/online/kept_rows.hpp"

#include <algorithm>
#include <bit>

#include "core/base/buffer.hpp"

namespace mercer::online {

namespace {

constexpr std::ptrdiff_t ahead = 8;

// Values that a row has room for: four lengths from a power of two to the next, so that the memory
// of a row that goes suits the next.
std::size_t room_for(std::size_t n_slots) {
    const std::size_t step = std::max<std::size_t>(std::bit_floor(n_slots) / 4, 16);
    return (n_slots + step - 1) / step * step;
}

// Values of free slots are never looked at, but they are added up, and must be numbers.
template <class T>
std::vector<T> roomy_row(const T* values, std::size_t count, std::size_t n_slots) {
    std::vector<T> row(room_for(n_slots));
    std::copy_n(values, count, row.data());
    return row;
}

}  // namespace

template <class T>
void KeptRows<T>::put(std::size_t slot, const T* values) {
    while (n_slots() <= slot) {
        free_.insert(n_slots());
        rows_.emplace_back();
        used_.push_back(0);
        filled_.push_back(0);
        fresh_.push_back(0);
        curvature_.push_back(0.0);
    }
    assert(!is_kept(slot));
    free_.erase(slot);
    hold(slot, roomy_row(values, n_slots(), n_slots()));
    used_[slot] = ++n_calls_;
    curvature_[slot] = double(values[slot]);
    filled_[slot] = fresh_[slot] = ++now_;
    log_.push_back({now_, slot});
    trim_log();
    keep_bound();
}

template <class T>
void KeptRows<T>::remove(std::size_t slot) {
    assert(is_kept(slot));
    filled_[slot] = 0;
    hold(slot, {});
    free_.insert(slot);
    while (!free_.empty() && *free_.rbegin() + 1 == n_slots()) {
        free_.erase(n_slots() - 1);
        rows_.pop_back();
        used_.pop_back();
        filled_.pop_back();
        fresh_.pop_back();
        curvature_.pop_back();
    }
}

template <class T>
const T* KeptRows<T>::row(std::size_t slot) {
    assert(is_kept(slot));
    used_[slot] = ++n_calls_;
    is_held(slot) ? complete(slot) : compute(slot);
    keep_bound();
    return rows_[slot].data();
}

// No row, if it is empty.
template <class T>
void KeptRows<T>::hold(std::size_t slot, Row row) {
    bytes_ = bytes_ + row.size() * sizeof(T) - rows_[slot].size() * sizeof(T);
    n_held_ = n_held_ + !row.empty() - is_held(slot);
    rows_[slot] = std::move(row);
}

template <class T>
void KeptRows<T>::compute(std::size_t slot) {
    Row row(room_for(n_slots()));
    compute_(slot, row.data());
    hold(slot, std::move(row));
    fresh_[slot] = now_;
    ++n_computed_;
}

// Slots that were filled, or filled again, after the row was looked at have its value in their own
// row: kernels are symmetric. One that is no longer held has left it here.
template <class T>
void KeptRows<T>::complete(std::size_t slot) {
    lengthen(slot);
    if (fresh_[slot] == now_) return;
    const auto later = [](std::uint64_t time, const Fill& fill) { return time < fill.time; };
    const auto is_there = [this](const Fill& fill) {
        return is_current(fill) && is_held(fill.slot);
    };
    auto fill = std::upper_bound(log_.begin(), log_.end(), fresh_[slot], later);
    T* own = rows_[slot].data();
    for (; fill != log_.end(); ++fill) {
        // each value is far from the others: several are on their way at a time
        if (log_.end() - fill > ahead && is_there(fill[ahead])) {
            __builtin_prefetch(rows_[fill[ahead].slot].data() + slot);
        }
        if (is_there(*fill)) own[fill->slot] = rows_[fill->slot][slot];
    }
    fresh_[slot] = now_;
}

template <class T>
void KeptRows<T>::lengthen(std::size_t slot) {
    const std::size_t before = rows_[slot].size();
    if (before < n_slots()) hold(slot, roomy_row(rows_[slot].data(), before, n_slots()));
}

template <class T>
void KeptRows<T>::keep_bound() {
    while (max_bytes_ > 0 && bytes_ > max_bytes_ && n_held_ > 2) drop_oldest();
}

// A search of all slots takes less than the row that takes its place.
template <class T>
void KeptRows<T>::drop_oldest() {
    std::size_t oldest = n_slots();
    for (std::size_t s = 0; s < n_slots(); ++s) {
        if (is_held(s) && (oldest == n_slots() || used_[s] < used_[oldest])) oldest = s;
    }
    for (std::size_t s = 0; s < n_slots(); ++s) {
        if (!is_held(s) || fresh_[s] >= filled_[oldest]) continue;
        lengthen(s);
        rows_[s][oldest] = rows_[oldest][s];
    }
    hold(oldest, {});
}

template <class T>
bool KeptRows<T>::may_lack(std::size_t n_new) const {
    if (n_held_ < n_kept()) return true;
    const std::size_t most = n_slots() + n_new;
    std::size_t longest = room_for(most);
    for (const Row& row : rows_) longest = std::max(longest, row.size());
    return max_bytes_ > 0 && checked_product(most, longest) > max_bytes_ / sizeof(T);
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
    for (const std::size_t s : kept) {
        if (is_held(s)) complete(s);
    }
    std::vector<T> values(kept.size());
    for (std::size_t to = 0; to < kept.size(); ++to) {
        const std::size_t from = kept[to];
        curvature_[to] = curvature_[from];
        used_[to] = used_[from];
        if (is_held(from)) {
            for (std::size_t c = 0; c < kept.size(); ++c) values[c] = rows_[from][kept[c]];
            hold(from, {});
            hold(to, roomy_row(values.data(), values.size(), values.size()));
        }
    }
    rows_.resize(kept.size());
    used_.resize(kept.size());
    curvature_.resize(kept.size());
    free_.clear();
    log_.clear();
    now_ = 1;
    filled_.assign(kept.size(), now_);
    fresh_.assign(kept.size(), now_);
    keep_bound();
    return kept;
}

template class KeptRows<float>;
template class KeptRows<double>;

}  // namespace mercer::online
