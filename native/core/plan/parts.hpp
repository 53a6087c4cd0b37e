// What all runs of many problems share: their input, their parts of the arrays, and their threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/gram/gram.hpp"
#include "core/plan/shared_blocks.hpp"
#include "core/plan/watch.hpp"
#include "core/problem/problem.hpp"

namespace mercer::plan {

// What all problems read.
struct Source {
    Gram<double>& gram;
    Gram<float>* single;                   // null: all is done in double precision
    std::span<const std::int64_t> blocks;  // offsets of rows whose values problems share, or none
    const double* lengths;                 // of the rows, or null
    // Rounding of a value of rows i and j is at most sqrt(r_i r_j); of one number for all rows, r.
    std::span<const double> roundings;
};

// Problems that lie one after the other in the arrays of one.
struct Problems {
    const ProblemView& all;
    std::span<const std::int64_t> offsets;  // ascend from 0 to the number of variables
    const double* group_sums = nullptr;     // those of each problem; null: those of all

    std::size_t size() const { return offsets.size() - 1; }
    ProblemView operator[](std::size_t k) const {
        const auto o = std::size_t(offsets[k]), n = std::size_t(offsets[k + 1]) - o;
        return {n,
                all.n_groups,
                all.index + o,
                all.linear + o,
                all.lower + o,
                all.upper + o,
                all.ridge + o,
                all.group + o,
                group_sums ? group_sums + k * all.n_groups : all.group_sum};
    }
};

// Room for the values of each block, if there are some and the cache has room for them.
template <class T>
std::unique_ptr<SharedBlocks<T>> share_blocks(Gram<T>& gram, std::span<const std::int64_t> blocks) {
    if (blocks.empty() || SharedBlocks<T>::bytes(blocks) > gram.cache_bytes()) return {};
    return std::make_unique<SharedBlocks<T>>(gram, blocks);
}

// Problems by their number of variables, the largest first, so that the last ones are small.
inline std::vector<std::size_t> by_size(const Problems& problems) {
    const std::span<const std::int64_t> offsets = problems.offsets;
    std::vector<std::size_t> order(problems.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b];
    });
    return order;
}

// Turns that threads take at most, except for the very many problems of which a turn has 64.
constexpr std::size_t most_turns = 1000;

// Calls worker.solve(k) for each problem, by the threads of the Gram; each has a worker made of
// `work`, which goes from one problem to the next. After a failure of the watch no problem is
// started.
template <class Worker, class Work>
void solve_each(Work& work, const Source& source, const Problems& problems, Watch& watch) {
    watch.goes_on();  // reports the start, however few problems there are
    std::mutex mutex;
    std::vector<std::unique_ptr<Worker>> idle;
    const auto take = [&]() -> std::unique_ptr<Worker> {
        std::lock_guard lock(mutex);
        if (idle.empty()) return std::make_unique<Worker>(work);
        std::unique_ptr<Worker> worker = std::move(idle.back());
        idle.pop_back();
        return worker;
    };
    const std::vector<std::size_t> order = by_size(problems);
    ThreadPool& threads = source.gram.threads();
    // loops inside a problem are done by the thread that has it
    std::optional<ThreadPool::Client> busy;
    if (source.single) {
        busy.emplace(source.single->threads(), std::max<std::size_t>(threads.n_threads(), 2));
    }
    const std::size_t together = std::clamp<std::size_t>(order.size() / most_turns, 1, 64);
    threads.parallel_for(order.size(), together, [&](std::size_t begin, std::size_t end) {
        std::unique_ptr<Worker> worker = take();
        for (std::size_t k = begin; k < end && !watch.has_failed(); ++k) worker->solve(order[k]);
        std::lock_guard lock(mutex);
        idle.push_back(std::move(worker));
    });
}

}  // namespace mercer::plan
