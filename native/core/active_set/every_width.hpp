// One version of a function for each width of registers, chosen when the library is loaded. None of
// them fuses operations, so that the results do not depend on the machine.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#define MERCER_EVERY_WIDTH __attribute__((target_clones("avx2", "default")))
#else
#define MERCER_EVERY_WIDTH
#endif
