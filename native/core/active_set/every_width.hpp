// One version of a function for each width of registers, chosen when the library is loaded. None of
// them fuses operations, so that the results do not depend on the machine. A sanitizer is called by
// the choice too, before the loader has made it known: there is one version then.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(MERCER_SANITIZED)
#define MERCER_EVERY_WIDTH __attribute__((target_clones("avx2", "default")))
#else
#define MERCER_EVERY_WIDTH
#endif
