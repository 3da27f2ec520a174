/* The floor of a hook call: connect to argv[1], send a header and 1 KB, read the reply, print it, end. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char request[2048] = "borg/1 hook claude-code Stop\n{\"a\":\"", reply[65536];
    size_t used = strlen(request);
    ssize_t got;
    int sock = socket(AF_UNIX, SOCK_STREAM, 0);
    if (argc < 2) return 2;
    strncpy(at.sun_path, argv[1], sizeof at.sun_path - 1);
    memset(request + used, 'x', 1000);
    strcpy(request + used + 1000, "\"}");
    if (connect(sock, (struct sockaddr *)&at, sizeof at)) return 1;
    if (send(sock, request, strlen(request), 0) < 0) return 1;
    while ((got = recv(sock, reply, sizeof reply, 0)) > 0)
        if (write(1, reply, got) < 0) return 1;
    return 0;
}
