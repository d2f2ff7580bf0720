#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

const char *cprocess_program(void) {
    return (const char *)getauxval(AT_EXECFN);
}

#ifdef __GLIBC__

// Of Swift's runtime library (stdlib/public/stubs/CommandLine.cpp): what CommandLine.arguments, and all that is made of
// it, reads instead of /proc/self.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc);

// glibc passes the arguments of main to the functions that run before it, in programs and libraries (elf/dl-init.c);
// other C libraries do not.
__attribute__((constructor)) static void take_arguments(int argc, char **argv) {
    _swift_stdlib_overrideUnsafeArgvArgc(argv, argc);
}

// True for /proc/NUMBER/stat.
static int is_state_of_thread(const char *path) {
    if (strncmp(path, "/proc/", 6) != 0) return 0;
    size_t digits = strspn(path + 6, "0123456789");
    return digits > 0 && strcmp(path + 6 + digits, "/stat") == 0;
}

// Returns a descriptor to read that says of a thread that it runs (proc(5), /proc/pid/stat).
static int open_running_thread(void) {
    static const char state[] = "0 (thread) R 0\n";
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    ssize_t written = write(ends[1], state, sizeof state - 1);
    close(ends[1]);
    if (written > 0) return ends[0];
    close(ends[0]);
    return -1;
}

// Workaround "dispatch-reads-proc", for libdispatch up to Swift 6.3: once a second it reads the states of its threads
// from /proc, and ends the process by SIGILL if it cannot (_dispatch_workq_monitor_pools in event/workqueue.c). Takes
// the place of glibc's open in the whole program, and differs from it only where there is no such file, or a sandbox
// denies it: the thread is then said to run. The test WithoutProcTests shows it. It can go once libdispatch does
// without /proc.
int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    int descriptor = openat(AT_FDCWD, path, flags, mode);
    // Too few descriptors, and a signal, are for the caller to see.
    const int is_hidden = descriptor == -1 && errno != EMFILE && errno != ENFILE && errno != EINTR;
    return is_hidden && is_state_of_thread(path) ? open_running_thread() : descriptor;
}

#endif
