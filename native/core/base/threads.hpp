// A small pool of threads for loops over independent ranges.
//
// Work is split into ranges, each taken by whoever is free, and every range writes its own part of
// the result, so results never depend on the number of threads, nor on who was held up. The pool
// may be used from several threads at once (a caller that finds it busy works alone, and as many
// clients as there are threads all do) and after a fork (the child works alone).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/after_fork.hpp"

namespace mercer {

class ThreadPool {
  public:
    using Range = std::function<void(std::size_t begin, std::size_t end)>;

    // requires: n_threads >= 1, the calling thread included
    explicit ThreadPool(std::size_t n_threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    std::size_t n_threads() const { return n_threads_; }

    // Calls work(begin, end) on parts of [0, count), cut at multiples of `grain`.
    // An exception thrown by a part is thrown again here.
    void parallel_for(std::size_t count, std::size_t grain, const Range& work);

    // One who works for a while, with loops now and then, or several if others are at work
    // elsewhere. A second one on the same thread is the same client.
    class Client {
      public:
        explicit Client(ThreadPool& pool, std::size_t count = 1);
        ~Client();
        Client(const Client&) = delete;
        Client& operator=(const Client&) = delete;

      private:
        ThreadPool& pool_;
        std::size_t count_;  // 0: counted already
    };

  private:
    bool is_full() const { return n_clients_ >= n_threads_ && n_clients_ > 1; }
    void start();
    void serve();
    void run_parts();
    void let_go();

    std::size_t n_threads_;
    long owner_;
    std::vector<std::thread> members_;
    std::mutex busy_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::atomic<std::size_t> round_{0}, n_busy_{0}, n_clients_{0};
    bool is_open_ = false;  // whether parts may be left to take
    std::atomic<bool> stopping_{false};
    const Range* work_ = nullptr;
    std::size_t count_ = 0, grain_ = 1, parts_ = 0;
    std::atomic<std::size_t> next_part_{0};
    std::exception_ptr error_;
    AfterFork after_fork_{[this] { let_go(); }};
};

// Calls work(begin, end) on parts of [0, n_rows), by threads where there are some and the rows, of
// `length` numbers, are worth it.
inline void share_rows(ThreadPool* threads, std::size_t n_rows, std::size_t length,
                       const ThreadPool::Range& work) {
    constexpr std::size_t grain = 256;           // whole panels
    constexpr std::size_t worthwhile = 1 << 17;  // numbers, some hundred microseconds
    if (threads && n_rows * length >= worthwhile) {
        threads->parallel_for(n_rows, grain, work);
    } else if (n_rows > 0) {
        work(0, n_rows);
    }
}

}  // namespace mercer
