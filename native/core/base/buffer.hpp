// Memory for numbers: aligned to a cache line, uninitialised, never copied by accident.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "core/base/pages.hpp"

namespace mercer {

// a * b and a + b, or std::overflow_error: sizes come from users.
inline std::size_t checked_product(std::size_t a, std::size_t b) {
    std::size_t result;
    if (__builtin_mul_overflow(a, b, &result)) throw std::overflow_error("array size overflows");
    return result;
}

inline std::size_t checked_sum(std::size_t a, std::size_t b) {
    std::size_t result;
    if (__builtin_add_overflow(a, b, &result)) throw std::overflow_error("array size overflows");
    return result;
}

template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t count)
        : data_(static_cast<T*>(take_memory(bytes_of(count))), Free{bytes_of(count)}),
          size_(count) {}

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) {
        assert(i < size_);
        return data_.get()[i];
    }
    const T& operator[](std::size_t i) const {
        assert(i < size_);
        return data_.get()[i];
    }

    // Room for at least `count` numbers; what was there is lost.
    void require(std::size_t count) {
        if (count > size_) *this = Buffer(count);
    }

  private:
    // One number more than asked for: an empty buffer has memory of its own, too.
    static std::size_t bytes_of(std::size_t count) {
        return checked_product(checked_sum(count, 1), sizeof(T));
    }
    struct Free {
        std::size_t bytes = 0;
        void operator()(T* p) const { give_memory(p, bytes); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

// The same with a place of its own for a few numbers, for those who need some again and again.
template <class T, std::size_t few>
class SmallBuffer {
  public:
    explicit SmallBuffer(std::size_t count) : far_(count > few ? Buffer<T>(count) : Buffer<T>()) {}

    T* data() { return far_.size() > 0 ? far_.data() : near_; }
    const T* data() const { return far_.size() > 0 ? far_.data() : near_; }

  private:
    alignas(64) T near_[few];
    Buffer<T> far_;
};

}  // namespace mercer
