// What Swift's Glibc does not import: memory that processes share (memfd_create(2)), and a number in it that only grows, with the
// kernel's way to wait for it (futex(2)); threads that may have ended (pthread_tryjoin_np(3)). The number is C's because Swift has no
// atomic operations on memory that it does not own.
#pragma once
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of <sys/mman.h>, which shows it to GNU sources only.
int memfd_create(const char *_Nonnull name, unsigned int flags);

// Of <pthread.h>, likewise.
int pthread_tryjoin_np(pthread_t thread, void *_Nullable *_Nullable result);

typedef struct {
    uint64_t magic;
    uint64_t value;
    // Counts the changes: a futex has 32 bits.
    uint32_t changes;
    uint32_t reserved;
} safelight_counter;

static inline uint64_t safelight_counter_value(const safelight_counter *_Nonnull counter) {
    return __atomic_load_n(&counter->value, __ATOMIC_ACQUIRE);
}

static inline uint32_t safelight_counter_changes(const safelight_counter *_Nonnull counter) {
    return __atomic_load_n(&counter->changes, __ATOMIC_ACQUIRE);
}

// Wakes all who wait, in every process.
static inline void safelight_counter_wake(safelight_counter *_Nonnull counter) {
    __atomic_add_fetch(&counter->changes, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &counter->changes, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

// Raises the value to at least `value`; a smaller one changes nothing.
static inline void safelight_counter_raise(safelight_counter *_Nonnull counter, uint64_t value) {
    uint64_t seen = __atomic_load_n(&counter->value, __ATOMIC_RELAXED);
    while (seen < value) {
        if (__atomic_compare_exchange_n(&counter->value, &seen, value, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
            safelight_counter_wake(counter);
            return;
        }
    }
}

// Blocks as long as no change came after `changes` was read; may return early.
static inline void safelight_counter_wait(safelight_counter *_Nonnull counter, uint32_t changes) {
    syscall(SYS_futex, &counter->changes, FUTEX_WAIT, changes, NULL, NULL, 0);
}
