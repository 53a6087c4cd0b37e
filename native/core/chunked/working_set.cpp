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

// The ends of all groups, and of the variables without one; the most violated groups first.
WorkingSet::Ends WorkingSet::ends_of(const std::vector<Extremes>& extremes) {
    const int n_groups = int(extremes.size()) - 1;
    Ends ends{{}, std::vector<std::size_t>(extremes.size())};
    for (const int group : groups_by_violation(extremes)) {
        const Extremes& e = extremes[std::size_t(group < 0 ? n_groups : group)];
        ends.first[std::size_t(group + 1)] = ends.all.size();
        ends.all.push_back({group < 0 ? 0.0 : e.down, -infinity, {}});
        ends.all.push_back({group < 0 ? 0.0 : -e.up, -infinity, {}});
    }
    return ends;
}

// Calls found(end, key) for each end that the variable is a violator of, at least at its floor.
template <class T, class Found>
void WorkingSet::look_at(const Variables<T>& variables, std::uint32_t v, const Ends& ends,
                         const Found& found) {
    const std::size_t up = ends.first[std::size_t(variables.problem.group[v] + 1)];
    const double g = variables.gradient[v];
    if (ends.all[up].admits(g) && variables.can_grow(v)) found(up, g);
    if (ends.all[up + 1].admits(-g) && variables.can_fall(v)) found(up + 1, -g);
}

// Raises each floor so that about twice `most` violators reach it, as a sample of them tells.
template <class T>
void WorkingSet::raise_floors(const Variables<T>& variables, std::size_t most, Ends& ends) {
    constexpr std::size_t sample = 2048;
    const std::vector<std::uint32_t>& active = variables.active();
    const std::size_t stride = active.size() / sample;
    if (stride < 2) return;
    std::vector<std::vector<double>> keys(ends.all.size());
    for (std::size_t k = 0; k < active.size(); k += stride) {
        look_at(variables, active[k], ends,
                [&](std::size_t end, double key) { keys[end].push_back(key); });
    }
    const std::size_t rank = 2 * most / stride;
    for (std::size_t end = 0; end < keys.size(); ++end) {
        if (rank >= keys[end].size()) continue;
        const auto at = keys[end].begin() + std::ptrdiff_t(rank);
        std::nth_element(keys[end].begin(), at, keys[end].end(), std::greater<>());
        ends.all[end].floor = *at;
    }
}

// The `most` largest violators of each end, in order.
template <class T>
void WorkingSet::collect(const Variables<T>& variables, std::size_t most, Ends& ends) {
    const std::vector<std::uint32_t>& active = variables.active();
    std::mutex mutex;
    const auto look = [&](std::size_t begin, std::size_t last) {
        std::vector<std::vector<Candidate>> mine(ends.all.size());
        for (std::size_t k = begin; k < last; ++k) {
            const std::uint32_t v = active[k];
            look_at(variables, v, ends, [&](std::size_t end, double key) {
                mine[end].push_back({key, v * 2654435761u, v});
            });
        }
        for (auto& some : mine) keep_best(some, most);
        std::lock_guard lock(mutex);
        for (std::size_t end = 0; end < mine.size(); ++end) {
            auto& found = ends.all[end].found;
            found.insert(found.end(), mine[end].begin(), mine[end].end());
        }
    };
    variables.gram().threads().parallel_for(active.size(), Variables<T>::grain, look);
    // No two candidates are equal: the order they came in does not matter.
    const auto sort = [&](std::size_t begin, std::size_t last) {
        for (std::size_t end = begin; end < last; ++end) {
            keep_best(ends.all[end].found, most);
            std::sort(ends.all[end].found.begin(), ends.all[end].found.end());
        }
    };
    variables.gram().threads().parallel_for(ends.all.size(), 1, sort);
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

// The `most` largest violators of each end, sooner found where floors leave out the others.
template <class T>
WorkingSet::Ends WorkingSet::violators(const Variables<T>& variables, std::size_t most) {
    Ends ends = ends_of(variables.extremes());
    raise_floors(variables, most, ends);
    collect(variables, most, ends);
    if (std::ranges::any_of(ends.all, [&](const End& end) { return end.is_short_of(most); })) {
        ends = ends_of(variables.extremes());
        collect(variables, most, ends);
    }
    return ends;
}

// One from each end in turn, behind those already taken, until there are so many members.
void WorkingSet::take_in_turn(std::vector<End>& ends, std::size_t until) {
    for (bool any = true; any && members_.size() < until;) {
        any = false;
        for (std::size_t k = 0; k < ends.size() && members_.size() < until; ++k) {
            if (ends[k].n_taken == ends[k].found.size()) continue;
            add(ends[k].found[ends[k].n_taken++].variable);
            any = true;
        }
    }
}

// Members of the last chunk, free ones first.
template <class T>
void WorkingSet::take_last(const Variables<T>& variables, std::size_t until) {
    for (const bool free : {true, false}) {
        for (const std::uint32_t v : last_) {
            if (members_.size() >= until) break;
            if (variables.is_free(v) == free) add(v);
        }
    }
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
    const std::size_t fresh =
        size - std::min({keep_, last_.size(), size - std::min<std::size_t>(size, 2)});
    Ends ends = violators(variables, size);
    take_in_turn(ends.all, fresh);
    take_last(variables, size);
    take_in_turn(ends.all, size);
    for (const std::uint32_t v : members_) is_member_[v] = false;
    return members_;
}

template const std::vector<std::uint32_t>& WorkingSet::choose(const Variables<float>&);
template const std::vector<std::uint32_t>& WorkingSet::choose(const Variables<double>&);

}  // namespace mercer::chunked
