// Denormal numbers cost up to 25 times an ordinary operation and carry nothing in kernel values.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace mercer {

// While this lives the calling thread takes denormal numbers for zero. Every computation of kernel
// values does so, on whichever thread it runs: else values would depend on who computes them.
class FlushDenormals {
  public:
#if defined(__x86_64__)
    FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
    ~FlushDenormals() { _mm_setcsr(before_); }
#elif defined(__aarch64__)
    FlushDenormals() {
        constexpr std::uint64_t flush_to_zero = std::uint64_t(1) << 24;
        asm volatile("mrs %0, fpcr" : "=r"(before_));
        asm volatile("msr fpcr, %0" : : "r"(before_ | flush_to_zero));
    }
    ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }
#else
    FlushDenormals() {}
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

  private:
#if defined(__x86_64__)
    unsigned before_;
#elif defined(__aarch64__)
    std::uint64_t before_;
#endif
};

}  // namespace mercer
