/* One-shot hook calls in a closed loop: argv = path, how many at once, how many in all.
   Prints p50 p95 p99 in microseconds, connect to end of reply, and answers per second. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}
static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char request[2048] = "borg/1 hook claude-code Stop\n{\"a\":\"", reply[65536];
    size_t used = strlen(request);
    int width, total, begun = 0, done = 0, poll = epoll_create1(0);
    double *took, *start;
    if (argc < 4) return 2;
    strncpy(at.sun_path, argv[1], sizeof at.sun_path - 1);
    width = atoi(argv[2]), total = atoi(argv[3]);
    took = calloc(total, sizeof *took), start = calloc(65536, sizeof *start);
    memset(request + used, 'x', 1000);
    strcpy(request + used + 1000, "\"}");
    double first = now();
    while (done < total) {
        while (begun < total && begun - done < width) {
            int sock = socket(AF_UNIX, SOCK_STREAM, 0);
            struct epoll_event event = {.events = EPOLLIN, .data.fd = sock};
            start[sock] = now();
            if (connect(sock, (struct sockaddr *)&at, sizeof at)) return 1;
            fcntl(sock, F_SETFL, O_NONBLOCK);
            if (send(sock, request, strlen(request), 0) < 0) return 1;
            epoll_ctl(poll, EPOLL_CTL_ADD, sock, &event);
            begun++;
        }
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, 10000);
        if (ready <= 0) return 1;
        for (int i = 0; i < ready; i++) {
            int sock = events[i].data.fd;
            ssize_t got = recv(sock, reply, sizeof reply, 0);
            if (got > 0 || (got < 0 && errno == EAGAIN)) continue;
            if (got < 0) return 1;
            took[done++] = now() - start[sock];
            close(sock);
        }
    }
    double seconds = (now() - first) / 1e6;
    qsort(took, total, sizeof *took, ascending);
    printf("%.1f %.1f %.1f %.0f\n", took[total / 2], took[total * 95 / 100], took[total * 99 / 100], total / seconds);
    return 0;
}
