#include "core/base/threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <system_error>

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

namespace mercer {

namespace {

// Ranges are smaller than a thread's share, so that one that is held up leaves the rest to others.
constexpr std::size_t parts_per_thread = 4;

// Loops follow each other closely: a thread looks for the next one for a while before it sleeps,
// because waking it takes longer, on virtual machines a millisecond. After the first looks it gives
// way to others.
constexpr int looks = 500;
constexpr std::chrono::microseconds patience(3000);

void pause() {
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

template <class Condition>
void look_for(const Condition& condition) {
    for (int look = 0; look < looks; ++look) {
        if (condition()) return;
        pause();
    }
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

long process_id() {
#ifdef _WIN32
    return _getpid();
#else
    return getpid();
#endif
}

// The pools this thread is a client of; few, and without a destructor that would have to run when
// the thread ends.
struct Visited {
    std::array<const ThreadPool*, 8> pools;

    // false if the pool was there already, or if there is no room
    bool add(const ThreadPool* pool) {
        if (std::ranges::find(pools, pool) != pools.end()) return false;
        const auto room = std::ranges::find(pools, nullptr);
        if (room == pools.end()) return false;
        *room = pool;
        return true;
    }
    void remove(const ThreadPool* pool) { std::ranges::replace(pools, pool, nullptr); }
};

thread_local constinit Visited visited{};

}  // namespace

ThreadPool::Client::Client(ThreadPool& pool, std::size_t count) : pool_(pool), count_(count) {
    if (!visited.add(&pool)) count_ = 0;
    pool_.n_clients_ += count_;
}

ThreadPool::Client::~Client() {
    if (count_ > 0) visited.remove(&pool_);
    pool_.n_clients_ -= count_;
}

ThreadPool::ThreadPool(std::size_t n_threads)
    : n_threads_(std::max<std::size_t>(1, n_threads)), owner_(process_id()) {}

ThreadPool::~ThreadPool() {
    if (members_.empty()) return;
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (auto& member : members_) member.join();
}

// After a fork the threads exist only in the parent, and none will answer those who wait for
// them: not even a condition that somebody waits for can be destroyed.
void ThreadPool::let_go() {
    renew(members_);
    renew(busy_);
    renew(mutex_);
    renew(wake_);
    renew(done_);
}

void ThreadPool::start() {
    try {
        for (std::size_t t = 1; t < n_threads_; ++t) members_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {  // as many as the system grants will do
        n_threads_ = members_.size() + 1;
    }
}

void ThreadPool::serve() {
    std::size_t seen = 0;
    for (;;) {
        look_for([&] { return stopping_ || round_ != seen; });
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
            if (stopping_) return;
            seen = round_;
            if (!is_open_) continue;  // woken too late: the others have done it
            ++n_busy_;
        }
        run_parts();
        std::lock_guard lock(mutex_);
        if (--n_busy_ == 0) done_.notify_one();
    }
}

void ThreadPool::run_parts() {
    const std::size_t grains = (count_ + grain_ - 1) / grain_;
    for (std::size_t part; (part = next_part_.fetch_add(1)) < parts_;) {
        const std::size_t begin = grains * part / parts_ * grain_;
        const std::size_t end = std::min(count_, grains * (part + 1) / parts_ * grain_);
        try {
            (*work_)(begin, end);
        } catch (...) {
            std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
        }
    }
}

void ThreadPool::parallel_for(std::size_t count, std::size_t grain, const Range& work) {
    if (count == 0) return;
    std::unique_lock mine(busy_, std::try_to_lock);
    const bool alone = n_threads_ == 1 || count <= grain || is_full();
    if (alone || !mine.owns_lock() || process_id() != owner_) {
        work(0, count);
        return;
    }
    if (members_.empty()) start();
    {
        std::lock_guard lock(mutex_);
        work_ = &work;
        count_ = count;
        grain_ = grain;
        error_ = nullptr;
        parts_ = std::min((count + grain - 1) / grain, parts_per_thread * n_threads_);
        next_part_ = 0;
        is_open_ = true;
        ++round_;
    }
    wake_.notify_all();
    run_parts();
    {
        std::lock_guard lock(mutex_);
        is_open_ = false;
    }
    look_for([&] { return n_busy_ == 0; });
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return n_busy_ == 0; });
    if (error_) std::rethrow_exception(error_);
}

}  // namespace mercer
