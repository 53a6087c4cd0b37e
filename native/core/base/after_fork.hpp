// Work to be done in the child of a fork.
//
// Only the forking thread continues in the child. Everything the other threads were changing stays
// as it was: locks stay locked, queues half linked. The owners of such objects register here how to
// renew them.
#pragma once

#include <functional>
#include <mutex>
#include <new>

namespace mercer {

// Calls `work` in every child of a fork, before anything else of this library. Declared last in its
// owner: it must go before what it renews.
class AfterFork {
  public:
    explicit AfterFork(std::function<void()> work);
    ~AfterFork();
    AfterFork(const AfterFork&) = delete;
    AfterFork& operator=(const AfterFork&) = delete;

    // The first of all; the others follow by next().
    static AfterFork*& first();
    AfterFork* next() const { return next_; }
    void operator()() const { work_(); }

  private:
    std::function<void()> work_;
    AfterFork *next_ = nullptr, *before_ = nullptr;
};

// A new value in place of one whose state is unknown, and that is not destroyed.
template <class T, class... Arguments>
void renew(T& value, Arguments&&... arguments) {
    new (static_cast<void*>(&value)) T(std::forward<Arguments>(arguments)...);
}

// Whether what the mutex guards is consistent; if not, or if it was, the mutex can be locked again.
// requires: the calling thread does not hold it
inline bool is_consistent(std::mutex& mutex) {
    if (mutex.try_lock()) {
        mutex.unlock();
        return true;
    }
    renew(mutex);
    return false;
}

}  // namespace mercer
