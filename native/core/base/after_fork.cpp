#include "core/base/after_fork.hpp"

#include <utility>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace mercer {

namespace {

std::mutex& list_mutex() {
    static std::mutex mutex;
    return mutex;
}

// Held while a process forks: the list is consistent in the child.
void hold() {
    list_mutex().lock();
}
void release() {
    list_mutex().unlock();
}
void release_in_child() {
    for (const AfterFork* work = AfterFork::first(); work; work = work->next()) (*work)();
    list_mutex().unlock();
}

bool listen() {
#ifndef _WIN32
    pthread_atfork(hold, release, release_in_child);
#endif
    return true;
}

}  // namespace

AfterFork*& AfterFork::first() {
    static AfterFork* first = nullptr;
    return first;
}

AfterFork::AfterFork(std::function<void()> work) : work_(std::move(work)) {
    [[maybe_unused]] static const bool listens = listen();
    std::lock_guard lock(list_mutex());
    next_ = first();
    if (next_) next_->before_ = this;
    first() = this;
}

AfterFork::~AfterFork() {
    std::lock_guard lock(list_mutex());
    (before_ ? before_->next_ : first()) = next_;
    if (next_) next_->before_ = before_;
}

}  // namespace mercer
