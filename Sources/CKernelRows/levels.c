#include "CKernelRows.h"
#include "vectors.h"

// Each operation is compiled for several sets of instructions, and a table says which are which. `target_clones` would
// choose one before the program begins, where nothing can test the others and Thread Sanitizer crashes.

#define JOIN(name, level) name##_##level

#if defined(__x86_64__)

#include "tables_vbmi.h"

#define LOOKS_UP_BYTES
#define LEVEL(name) JOIN(name, avx512)
#define LEVEL_NAME "avx512"
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#include "operations.h"
#undef LOOKS_UP_BYTES
#undef LEVEL
#undef LEVEL_NAME
#undef TARGET

#define LEVEL(name) JOIN(name, avx2)
#define LEVEL_NAME "avx2"
#define TARGET __attribute__((target("avx2")))
#include "operations.h"
#undef LEVEL
#undef LEVEL_NAME
#undef TARGET

#define LEVEL(name) JOIN(name, sse4)
#define LEVEL_NAME "sse4.1"
#define TARGET __attribute__((target("sse4.1")))
#include "operations.h"
#undef LEVEL
#undef LEVEL_NAME
#undef TARGET

#endif

#define LEVEL(name) JOIN(name, baseline)
#define LEVEL_NAME "baseline"
#define TARGET
#include "operations.h"

const CKernelRows *ckernel_rows(size_t number) {
    const CKernelRows *levels[4];
    size_t count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512dq")) {
        levels[count++] = &table_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        levels[count++] = &table_avx2;
    }
    if (__builtin_cpu_supports("sse4.1")) {
        levels[count++] = &table_sse4;
    }
#endif
    levels[count++] = &table_baseline;
    return number < count ? levels[number] : NULL;
}
