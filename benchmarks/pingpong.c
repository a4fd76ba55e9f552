/* The physical limit: two processes on one core, blocking pipes, nothing but bytes.
   usage: pingpong QUESTION_BYTES ANSWER_BYTES ROUNDS; prints round trips a second. Inherits its core. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static char room[1 << 16];

static void send_all(int pipe, int bytes) {
    while (bytes > 0) {
        ssize_t sent = write(pipe, room, (size_t)bytes);
        if (sent <= 0) exit(0);
        bytes -= (int)sent;
    }
}

static void receive_all(int pipe, int bytes) {
    while (bytes > 0) {
        ssize_t got = read(pipe, room, (size_t)bytes);
        if (got <= 0) exit(0);
        bytes -= (int)got;
    }
}

int main(int count, char **words) {
    int question = atoi(words[1]), answer = atoi(words[2]), rounds = atoi(words[3]);
    int there[2], back[2];
    if (count != 4 || pipe(there) || pipe(back)) return 1;
    if (fork() == 0) {
        close(there[1]);
        close(back[0]);
        for (;;) {
            receive_all(there[0], question);
            send_all(back[1], answer);
        }
    }
    close(there[0]);
    close(back[1]);
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (int round = 0; round < rounds; round++) {
        send_all(there[1], question);
        receive_all(back[0], answer);
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double seconds = (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9;
    printf("%.0f\n", rounds / seconds);
    return 0;
}
