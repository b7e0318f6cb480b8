// In the place of the C library's `socket`: what the proxy connects with holds no more than it must, so that a service that does
// not read makes it wait.

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int socket(int domain, int type, int protocol) noexcept {
    const int fd = static_cast<int>(::syscall(SYS_socket, domain, type, protocol));
    if (fd >= 0 && domain == AF_UNIX) {
        const int least = 1;
        ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof least);
    }
    return fd;
}
