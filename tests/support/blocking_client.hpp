#pragma once

#include "catch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include <poll.h>

#include <string>
#include <string_view>

/// @file
/// What tests of Onceward's own listeners share: a client that sends bytes and takes responses apart.

namespace onceward::tests {

namespace asio = boost::asio;

/// A blocking client. Reads give up after ten seconds.
template <typename Protocol>
class Client {
public:
    explicit Client(const typename Protocol::endpoint& endpoint) : socket_(loop_) { socket_.connect(endpoint); }

    void send(std::string_view text) { asio::write(socket_, asio::buffer(text)); }
    void finish_sending() { socket_.shutdown(asio::socket_base::shutdown_send); }

    /// The next response, its content by Content-Length unless `head_only`.
    std::string response(bool head_only = false) {
        while (buffer_.find("\r\n\r\n") == std::string::npos) {
            if (!read_some()) {
                return "closed: " + buffer_;
            }
        }
        const auto head = buffer_.find("\r\n\r\n") + 4;
        const auto length_at = buffer_.find("Content-Length: ");
        REQUIRE(length_at < head);
        const auto size = head + (head_only ? 0 : std::stoul(buffer_.substr(length_at + 16)));
        while (buffer_.size() < size) {
            if (!read_some()) {
                return "cut: " + buffer_;
            }
        }
        auto whole = buffer_.substr(0, size);
        buffer_.erase(0, size);
        return whole;
    }
    /// The next head without content: that of a 1xx.
    std::string interim() {
        while (buffer_.find("\r\n\r\n") == std::string::npos) {
            if (!read_some()) {
                return "closed: " + buffer_;
            }
        }
        const auto size = buffer_.find("\r\n\r\n") + 4;
        auto head = buffer_.substr(0, size);
        buffer_.erase(0, size);
        return head;
    }
    bool has_answer() {
        pollfd ready{socket_.native_handle(), POLLIN, 0};
        return ::poll(&ready, 1, 0) > 0;
    }
    /// Whether the server closes without sending more.
    bool is_closed() { return !read_some() && buffer_.empty(); }

private:
    bool read_some() {
        pollfd ready{socket_.native_handle(), POLLIN, 0};
        if (::poll(&ready, 1, 10'000) <= 0) {
            FAIL("no answer in ten seconds");
        }
        char chunk[4096];
        boost::system::error_code ec;
        const auto n = socket_.read_some(asio::buffer(chunk), ec);
        buffer_.append(chunk, n);
        return !ec;
    }

    asio::io_context loop_;
    typename Protocol::socket socket_;
    std::string buffer_;
};

using TcpClient = Client<asio::ip::tcp>;

inline asio::ip::tcp::endpoint local(std::uint16_t port) {
    return {asio::ip::address_v4::loopback(), port};
}

inline std::string status_line(const std::string& response) {
    return response.substr(0, response.find("\r\n"));
}
inline std::string content(const std::string& response) {
    return response.substr(response.find("\r\n\r\n") + 4);
}
inline bool has_line(const std::string& response, std::string_view line) {
    return response.find("\r\n" + std::string(line) + "\r\n") != std::string::npos;
}

}  // namespace onceward::tests
