#pragma once

#include "net/http_answer.hpp"
#include "net/listener.hpp"
#include "onceward/base/task.hpp"
#include "onceward/base/time.hpp"
#include "onceward/config/options.hpp"
#include "onceward/http/message.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace onceward::net {

struct HttpRequest {
    const http::RequestHead& head;
    std::string_view content = {};
    std::string_view peer = {};  ///< see `peer_text`
};

/// Why a request is answered without its page being asked; the connection then ends.
enum class HttpRefusal : std::uint8_t {
    bad_request,
    method_not_allowed,  ///< CONNECT
    target_too_long,
    expectation_failed,
    headers_too_large,
    content_too_large,
    too_slow
};

/// What a server shows. Called on its loop; must outlive the server.
class HttpPages {
public:
    virtual ~HttpPages() = default;
    /// Looks at a request with content before that is read: an answer ends it there. `request` lives until then.
    virtual Task<std::optional<HttpAnswer>> admit(const HttpRequest& request);
    /// The answer to a request, whose content is whole now. `request` lives until then.
    virtual Task<HttpAnswer> answer(const HttpRequest& request) = 0;
    virtual HttpAnswer refuse(HttpRefusal refusal) = 0;
};

struct HttpServerLimits {
    std::size_t connections = 64;          ///< one more ends the oldest that is not being answered
    std::size_t head_bytes = 8 * 1024;     ///< of a request
    std::size_t content_bytes = 0;         ///< of a request; 0: content is not read, and the connection ends behind the answer
    milliseconds header_timeout{10'000};   ///< from the first byte of a request to the end of its head, and to write an answer
    milliseconds content_timeout{30'000};  ///< from the end of the head to the end of the content
    milliseconds idle_timeout{75'000};     ///< without a request
};

/// A small HTTP/1.1 server for Onceward's own listeners: one request after the other, answers held whole. Of one loop: `start`
/// and `stop` are called on its thread, or while it does not run.
class HttpServer {
public:
    HttpServer(asio::io_context& loop, config::Address address, HttpPages& pages, const HttpServerLimits& limits);
    /// As `stop`. The loop has ended by then.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// Binds and begins to accept. Throws `boost::system::system_error` that names the address when that can't be had.
    void start(SocketAccess access = SocketAccess::umask);
    /// Closes the listener and every connection; the loop then has no work left from here, but for pages that still wait.
    void stop();

    /// The TCP port that is listened on, also when 0 was asked for; 0 on a unix socket.
    [[nodiscard]] std::uint16_t port() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace onceward::net
