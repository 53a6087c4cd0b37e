#include "core/chunked/working_set.hpp"

#include <algorithm>
#include <functional>
#include <mutex>

namespace mercer::chunked {

void WorkingSet::keep_best(std::vector<Candidate>& candidates, std::size_t most) {
    if (candidates.size() <= most) return;
    std::nth_element(candidates.begin(), candidates.begin() + std::ptrdiff_t(most),
                     candidates.end());
    candidates.resize(most);
}

// How far a violator is from the other end of its group; others have no key.
template <class T>
std::optional<double> WorkingSet::key_of(const Variables<T>& variables, std::uint32_t v, int group,
                                         End end) {
    if (variables.problem.group[v] != group) return std::nullopt;
    const std::size_t slot = group < 0 ? variables.problem.n_groups : std::size_t(group);
    const Extremes& e = variables.extremes()[slot];
    const double threshold = group < 0 ? 0.0 : end == End::up ? e.down : -e.up;
    const double key = end == End::up ? variables.gradient[v] : -variables.gradient[v];
    if (!(key > threshold)) return std::nullopt;
    const bool can_move = end == End::up ? variables.can_grow(v) : variables.can_fall(v);
    return can_move ? std::optional(key) : std::nullopt;
}

// A key that about twice `most` of the violators exceed, found from a sample of them.
template <class T>
double WorkingSet::floor_of(const Variables<T>& variables, int group, End end, std::size_t most) {
    constexpr std::size_t sample = 2048;
    const std::vector<std::uint32_t>& active = variables.active();
    const std::size_t stride = active.size() / sample;
    if (stride < 2) return -infinity;
    std::vector<double> keys;
    for (std::size_t k = 0; k < active.size(); k += stride) {
        if (const auto key = key_of(variables, active[k], group, end)) keys.push_back(*key);
    }
    const std::size_t rank = 2 * most / stride;
    if (rank >= keys.size()) return -infinity;
    const auto at = keys.begin() + std::ptrdiff_t(rank);
    std::nth_element(keys.begin(), at, keys.end(), std::greater<>());
    return *at;
}

// The `most` largest violators of one end of a group, in order.
template <class T>
void WorkingSet::collect(const Variables<T>& variables, int group, End end, std::size_t most,
                         std::vector<Candidate>& out) const {
    const std::vector<std::uint32_t>& active = variables.active();
    const auto collect_above = [&](double floor) {
        out.clear();
        std::mutex mutex;
        const auto look = [&](std::size_t first, std::size_t last) {
            std::vector<Candidate> mine;
            for (std::size_t k = first; k < last; ++k) {
                const std::uint32_t v = active[k];
                const auto key = key_of(variables, v, group, end);
                if (key && *key >= floor) mine.push_back({*key, v * 2654435761u, v});
            }
            keep_best(mine, most);
            std::lock_guard lock(mutex);
            out.insert(out.end(), mine.begin(), mine.end());
        };
        variables.gram().threads().parallel_for(active.size(), Variables<T>::grain, look);
    };
    const double floor = floor_of(variables, group, end, most);
    collect_above(floor);
    if (out.size() < most && floor > -infinity) collect_above(-infinity);
    // No two candidates are equal: the order they came in does not matter.
    keep_best(out, most);
    std::sort(out.begin(), out.end());
}

// Groups, and -1 for the variables without one, the most violated first.
std::vector<int> WorkingSet::groups_by_violation(const std::vector<Extremes>& extremes) {
    const int n_groups = int(extremes.size()) - 1;
    std::vector<int> groups;
    for (int group = -1; group < n_groups; ++group) groups.push_back(group);
    const auto violation = [&](int group) {
        const Extremes& e = extremes[std::size_t(group < 0 ? n_groups : group)];
        return group < 0 ? std::max(e.up, -e.down) : e.up - e.down;
    };
    std::ranges::stable_sort(groups, std::greater<>(), violation);
    return groups;
}

void WorkingSet::add(std::uint32_t v) {
    if (is_member_[v]) return;
    is_member_[v] = true;
    members_.push_back(v);
}

template <class T>
const std::vector<std::uint32_t>& WorkingSet::choose(const Variables<T>& variables) {
    const std::size_t n_active = variables.active().size();
    n_alike_ = n_active == n_active_ ? n_alike_ + 1 : 1;
    n_active_ = n_active;
    if (takes_all(n_active)) return members_ = variables.active();
    is_member_.resize(variables.size(), false);
    last_.swap(members_);
    members_.clear();
    std::erase_if(last_, [&](std::uint32_t v) { return !variables.is_active(v); });
    const std::size_t size = std::min(size_, n_active);
    // At least the most violating pair is new: it guarantees progress.
    const std::size_t fresh = size - std::min({keep_, last_.size(), size - std::min<std::size_t>(size, 2)});

    std::vector<std::vector<Candidate>> ends;
    for (const int group : groups_by_violation(variables.extremes())) {
        for (const End end : {End::up, End::down}) {
            collect(variables, group, end, size, ends.emplace_back());
        }
    }
    std::vector<std::size_t> taken(ends.size(), 0);
    const auto take_in_turn = [&](std::size_t until) {
        for (bool any = true; any && members_.size() < until;) {
            any = false;
            for (std::size_t k = 0; k < ends.size() && members_.size() < until; ++k) {
                if (taken[k] == ends[k].size()) continue;
                add(ends[k][taken[k]++].variable);
                any = true;
            }
        }
    };
    take_in_turn(fresh);
    for (const bool free : {true, false}) {
        for (const std::uint32_t v : last_) {
            if (members_.size() >= size) break;
            if (variables.is_free(v) == free) add(v);
        }
    }
    take_in_turn(size);
    for (const std::uint32_t v : members_) is_member_[v] = false;
    return members_;
}

template const std::vector<std::uint32_t>& WorkingSet::choose(const Variables<float>&);
template const std::vector<std::uint32_t>& WorkingSet::choose(const Variables<double>&);

}  // namespace mercer::chunked
