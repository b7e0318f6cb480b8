#include "redis_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>

extern char** environ;

namespace onceward::contract {

namespace {

constexpr std::chrono::seconds longest_start{10};
constexpr std::chrono::milliseconds between_looks{5};

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

std::uint16_t free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        fail("free port");
    }
    ::close(fd);
    return ntohs(address.sin_port);
}

/// A blocking connection for the test's own commands. Reads replies just well enough for them.
class Client {
public:
    explicit Client(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
        const timeval limit{5, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
            ::close(fd_);
            fail("connect");
        }
    }
    ~Client() { ::close(fd_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    std::string ask(std::initializer_list<std::string_view> arguments) {
        std::string out = "*" + std::to_string(arguments.size()) + "\r\n";
        for (const auto argument : arguments) {
            out += "$" + std::to_string(argument.size()) + "\r\n";
            out += argument;
            out += "\r\n";
        }
        if (::send(fd_, out.data(), out.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out.size())) {
            fail("send");
        }
        return reply();
    }

private:
    std::string reply() {
        const auto line = take_line();
        switch (line[0]) {
            case '$':
                return line == "$-1" ? "" : take(std::stoul(line.substr(1)));
            case '*': {
                std::string all;
                for (auto left = std::stol(line.substr(1)); left > 0; --left) {
                    all += reply() + "\n";
                }
                return all;
            }
            case '-':
                return line;
            default:
                return line.substr(1);
        }
    }
    std::string take_line() {
        while (input_.find("\r\n") == std::string::npos) {
            fill();
        }
        const auto end = input_.find("\r\n");
        auto line = input_.substr(0, end);
        input_.erase(0, end + 2);
        return line;
    }
    std::string take(std::size_t size) {
        while (input_.size() < size + 2) {
            fill();
        }
        auto bytes = input_.substr(0, size);
        input_.erase(0, size + 2);
        return bytes;
    }
    void fill() {
        char bytes[4096];
        const auto n = ::recv(fd_, bytes, sizeof(bytes), 0);
        if (n <= 0) {
            fail("recv");
        }
        input_.append(bytes, static_cast<std::size_t>(n));
    }

    int fd_;
    std::string input_;
};

}  // namespace

RedisServer::RedisServer(Arguments arguments)
    : socket_path_(folder_.file("redis.sock")), port_(free_port()), arguments_(std::move(arguments)) {
    start();
}

RedisServer::~RedisServer() {
    kill();
}

void RedisServer::start(Wait wait) {
    std::vector<std::string> words{"redis-server",
                                   "--port",
                                   std::to_string(port_),
                                   "--bind",
                                   "127.0.0.1",
                                   "--unixsocket",
                                   socket_path_,
                                   "--dir",
                                   folder_.path().string(),
                                   "--save",
                                   "",
                                   "--daemonize",
                                   "no",
                                   "--loglevel",
                                   "warning",
                                   "--logfile",
                                   folder_.file("log")};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
        // A test that is killed takes its server along.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() == parent) {
            ::execvp(argv[0], argv.data());
        }
        ::_exit(127);
    }
    if (pid_ < 0) {
        fail("fork");
    }
    const auto end = std::chrono::steady_clock::now() + longest_start;
    while (!answers(wait)) {
        if (std::chrono::steady_clock::now() > end || ::waitpid(pid_, nullptr, WNOHANG) != 0) {
            throw std::runtime_error("redis-server did not come up");
        }
        std::this_thread::sleep_for(between_looks);
    }
}

bool RedisServer::answers(Wait wait) const {
    try {
        const auto reply = Client(socket_path_).ask({"PING"});
        const bool is_loading = reply.starts_with("-LOADING");
        return reply == "PONG" || reply.starts_with("-NOAUTH") || (is_loading && wait == Wait::until_it_listens);
    } catch (const std::system_error&) {
        return false;
    }
}

void RedisServer::kill() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
}

void RedisServer::pause() {
    ::kill(pid_, SIGSTOP);
}
void RedisServer::resume() {
    ::kill(pid_, SIGCONT);
}

std::string RedisServer::command(std::initializer_list<std::string_view> arguments) const {
    Client client(socket_path_);
    if (!password_.empty()) {
        client.ask({"AUTH", password_});
    }
    return client.ask(arguments);
}

config::Store RedisServer::tcp() const {
    config::Store options;
    options.kind = config::StoreKind::redis;
    options.redis.address = {"127.0.0.1", port_, {}};
    options.prefix = "test";
    return options;
}

config::Store RedisServer::unix_socket() const {
    auto options = tcp();
    options.redis.address = {{}, 0, socket_path_};
    return options;
}

}  // namespace onceward::contract
