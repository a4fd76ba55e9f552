/* Between the house and its C library: failures of the journal's file, and a wall clock that jumps.
 *
 * SHIM_FAIL=write:3 lets the third write to a file whose name ends with SHIM_FILE fail with EIO; fdatasync likewise.
 * SHIM_JUMP=50 sets the wall clock an hour ahead and back every 50 ms. Everything else is as it was.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int fails(const char *call, int fd) {
    static int calls;
    const char *told = getenv("SHIM_FAIL"), *file = getenv("SHIM_FILE");
    char link[64], path[4096];
    size_t length = strlen(call);
    if (!told || !file || strncmp(told, call, length) || told[length] != ':')
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t got = readlink(link, path, sizeof path - 1);
    if (got < (ssize_t)strlen(file))
        return 0;
    path[got] = 0;
    if (strcmp(path + got - strlen(file), file))
        return 0;
    return ++calls == atoi(told + length + 1);
}

ssize_t write(int fd, const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (fails("write", fd)) {
        errno = EIO;
        return -1;
    }
    return real(fd, data, size);
}

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    if (fails("fdatasync", fd)) {
        errno = EIO;
        return -1;
    }
    return real(fd);
}

static int (*real_clock)(clockid_t, struct timespec *);

static time_t jump(void) {
    const char *told = getenv("SHIM_JUMP");
    struct timespec now;
    if (!told || atol(told) <= 0)
        return 0;
    real_clock(CLOCK_MONOTONIC, &now);
    return (now.tv_sec * 1000 + now.tv_nsec / 1000000) / atol(told) % 2 ? 3600 : -3600;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!real_clock)
        real_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real_clock(clock, now);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += jump();
    return result;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where)
        *where = now.tv_sec;
    return now.tv_sec;
}
