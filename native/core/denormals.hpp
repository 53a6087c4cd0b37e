// Denormal numbers cost up to 25 times an ordinary operation and carry nothing in kernel values.
#pragma once

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
#else
    FlushDenormals() {}
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

#if defined(__x86_64__)
  private:
    unsigned before_;
#endif
};

}  // namespace mercer
