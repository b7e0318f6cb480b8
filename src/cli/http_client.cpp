#include "cli/http_client.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/http/message_parser.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace onceward::cli {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t answer_bytes_max = 64 * 1024 * 1024;

struct Failure {
    std::string what;
};

[[noreturn]] void fail(int error) {
    throw Failure{std::generic_category().message(error)};
}

/// A socket that gives up at a deadline. Throws `Failure`.
class Connection {
public:
    Connection(int family, Deadline until)
        : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), until_(until) {
        if (socket_ < 0) {
            fail(errno);
        }
    }
    ~Connection() { ::close(socket_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void connect(const sockaddr* address, socklen_t size) {
        if (::connect(socket_, address, size) == 0) {
            return;
        }
        if (errno != EINPROGRESS) {
            fail(errno);
        }
        wait(POLLOUT);
        int error = 0;
        socklen_t length = sizeof error;
        if (::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
            fail(error != 0 ? error : errno);
        }
    }

    void write(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n >= 0) {
                bytes.remove_prefix(static_cast<std::size_t>(n));
            } else if (errno == EAGAIN) {
                wait(POLLOUT);
            } else if (errno == EPIPE || errno == ECONNRESET) {
                return;  // an answer may be there all the same: a refusal without reading the content
            } else if (errno != EINTR) {
                fail(errno);
            }
        }
    }

    /// Appends what comes next; false at the end.
    bool read(std::string& into) {
        for (;;) {
            char piece[16 * 1024];
            const auto n = ::recv(socket_, piece, sizeof piece, 0);
            if (n > 0) {
                into.append(piece, static_cast<std::size_t>(n));
                return true;
            }
            if (n == 0) {
                return false;
            }
            if (errno == EAGAIN) {
                wait(POLLIN);
            } else if (errno != EINTR) {
                fail(errno);
            }
        }
    }

private:
    void wait(short events) {
        const auto left = std::chrono::ceil<milliseconds>(until_ - steady_clock::now()).count();
        pollfd poll_event{socket_, events, 0};
        const auto n = left <= 0 ? 0 : ::poll(&poll_event, 1, static_cast<int>(std::min<milliseconds::rep>(left, 1'000'000)));
        if (n == 0) {
            throw Failure{"no answer in time"};
        }
        if (n < 0 && errno != EINTR) {
            fail(errno);
        }
    }

    int socket_;
    Deadline until_;
};

std::unique_ptr<Connection> connect_unix(const std::string& path, Deadline until) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        fail(ENAMETOOLONG);
    }
    path.copy(address.sun_path, path.size());
    auto connection = std::make_unique<Connection>(AF_UNIX, until);
    connection->connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
    return connection;
}

/// Tries each address of the name in turn.
std::unique_ptr<Connection> connect_tcp(const config::Address& to, Deadline until) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int error = ::getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &found); error != 0) {
        throw Failure{::gai_strerror(error)};
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, &::freeaddrinfo);
    Failure last{"no address"};
    for (const auto* each = found; each != nullptr; each = each->ai_next) {
        try {
            auto connection = std::make_unique<Connection>(each->ai_family, until);
            connection->connect(each->ai_addr, each->ai_addrlen);
            return connection;
        } catch (const Failure& failure) {
            last = failure;
        }
    }
    throw last;
}

std::string request_text(const Endpoint& endpoint, const HttpCall& call) {
    std::string text = call.method + " " + call.target + " HTTP/1.1\r\nHost: " +
                       (endpoint.address.is_unix() ? std::string("localhost") : config::to_text(endpoint.address)) +
                       "\r\nConnection: close\r\n";
    if (!endpoint.token.empty()) {
        text += "Authorization: Bearer " + endpoint.token + "\r\n";
    }
    if (call.method != "GET") {
        text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(call.content.size()) + "\r\n";
    }
    return text + "\r\n" + call.content;
}

HttpReply read_reply(Connection& connection, std::string_view method) {
    http::ResponseParser parser;
    parser.restart(method);
    http::ResponseHead head;
    std::string buffer;
    HttpReply reply;
    bool has_head = false;
    while (connection.read(buffer)) {
        if (!has_head) {
            const auto result = parser.parse_head(buffer, head);
            if (result.state == http::ParseState::failed) {
                throw Failure{"what answers there does not speak HTTP/1.1"};
            }
            has_head = result.state == http::ParseState::done && !http::is_interim(head.status);
            buffer.erase(0, result.consumed);
        }
        if (has_head) {
            const auto result = parser.parse_body(buffer, [&](std::string_view piece) { reply.content += piece; });
            buffer.erase(0, result.consumed);
            if (result.state == http::ParseState::done) {
                reply.status = head.status;
                return reply;
            }
        }
        if (reply.content.size() + buffer.size() > answer_bytes_max) {
            throw Failure{"the answer is too large"};
        }
    }
    throw Failure{"the connection ended before a whole answer"};
}

}  // namespace

std::variant<HttpReply, std::string> send(const Endpoint& endpoint, const HttpCall& call, milliseconds limit) {
    try {
        const Deadline until = steady_clock::now() + limit;
        const auto connection =
            endpoint.address.is_unix() ? connect_unix(endpoint.address.unix_path, until) : connect_tcp(endpoint.address, until);
        connection->write(request_text(endpoint, call));
        return read_reply(*connection, call.method);
    } catch (const Failure& failure) {
        return failure.what;
    }
}

std::string query_escaped(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const char lower = base::to_lower(c);
        if ((lower >= 'a' && lower <= 'z') || base::is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += '%';
            out += digits[byte >> 4U];
            out += digits[byte & 0xfU];
        }
    }
    return out;
}

}  // namespace onceward::cli
