// Memory for numbers: aligned to a cache line, uninitialised, never copied by accident.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

namespace mercer {

// a * b, or std::overflow_error: sizes come from users.
inline std::size_t checked_product(std::size_t a, std::size_t b) {
    std::size_t result;
    if (__builtin_mul_overflow(a, b, &result)) throw std::overflow_error("array size overflows");
    return result;
}

template <class T>
class Buffer {
  public:
    static constexpr std::size_t alignment = 64;

    Buffer() = default;
    explicit Buffer(std::size_t count)
        : data_(static_cast<T*>(::operator new(checked_product(count + 1, sizeof(T)),
                                               std::align_val_t(alignment)))),
          size_(count) {}

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

    // Room for at least `count` numbers; what was there is lost.
    void require(std::size_t count) {
        if (count > size_) *this = Buffer(count);
    }

  private:
    struct Free {
        void operator()(T* p) const { ::operator delete(p, std::align_val_t(alignment)); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace mercer
