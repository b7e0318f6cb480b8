#pragma once

#include "onceward/http/body_decoder.hpp"
#include "onceward/http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// Bytes in, checked heads and content out (spec section 7, RFC 9112). What two parsers could read differently is refused here,
/// so that nothing behind has to ask again. No I/O: the caller owns the read buffer and consumes from it what the results say.
///
/// One object a connection, used by one thread. Nothing is allocated once the buffers have grown to a connection's habits.

namespace onceward::http {

struct HeadLimits {
    std::size_t bytes = 64 * 1024;  ///< of the whole head, start line and last CRLF included
    std::size_t fields = 100;
    std::size_t target = 8 * 1024;  ///< request target; unused for responses
};
/// What a response head may be (spec section 3).
inline constexpr HeadLimits response_head_limits{256 * 1024, 500, 0};

/// Why a request head is refused; each has its problem code. The connection can't be used further: the request's end is not
/// known.
enum class HeadError : std::uint8_t {
    none,
    bad_request,         ///< 400: malformed or ambiguous
    method_not_allowed,  ///< 405: CONNECT
    target_too_long,     ///< 414
    expectation_failed,  ///< 417: an expectation other than 100-continue
    headers_too_large    ///< 431: bytes or number of fields
};

/// Finds the end of a head and checks what can be checked byte by byte: line ends are CRLF, no control characters, no folds.
/// Remembers how far it came, so that a head in one-byte pieces is scanned once.
class HeadScanner {
public:
    enum class Kind : std::uint8_t { request, response };
    struct Result {
        ParseState state = ParseState::need_more;
        HeadError error = HeadError::none;
    };

    HeadScanner(Kind kind, const HeadLimits& limits) : kind_(kind), limits_(limits) {}
    void restart();
    /// `buffered` begins with the head's first byte, at each call.
    Result scan(std::string_view buffered);
    /// After `done`: where the start line begins (after a CRLF that was skipped) and where the head ends.
    [[nodiscard]] std::size_t begin() const { return begin_; }
    [[nodiscard]] std::size_t end() const { return line_at_; }
    [[nodiscard]] const HeadLimits& limits() const { return limits_; }
    void set_limits(const HeadLimits& limits) { limits_ = limits; }

private:
    HeadError check_start(std::string_view partial) const;
    HeadError check_line(std::string_view line);

    Kind kind_;
    HeadLimits limits_;
    std::size_t begin_ = 0;
    std::size_t line_at_ = 0;     ///< start of the line that is not complete
    std::size_t scanned_ = 0;     ///< no line end before this
    std::size_t line_count_ = 0;  ///< complete lines, the start line included
};

struct HeadResult {
    ParseState state = ParseState::need_more;
    std::size_t consumed = 0;  ///< with `done`: bytes of the head, to be dropped from the buffer
    HeadError error = HeadError::none;
};

/// Requests of one client connection, one after the other.
///
/// `restart`, `parse_head` until it is done, `parse_body` until it is done, and again. `head` holds copies: the buffer may be
/// consumed at once. A head without content makes `body_state()` `done` straight away.
class RequestParser {
public:
    explicit RequestParser(const HeadLimits& limits, const BodyLimits& body_limits = {})
        : scanner_(HeadScanner::Kind::request, limits), body_(body_limits) {}

    void restart() { scanner_.restart(); }
    /// Between two heads.
    void set_limits(const HeadLimits& limits) { scanner_.set_limits(limits); }

    /// `buffered` begins with the first byte behind the previous message and grows from call to call; nothing of it is consumed
    /// before `done`. One CRLF before the request line is skipped (RFC 9112 section 2.2). Bytes that can't become HTTP/1 fail at
    /// once. After a failure `head` holds what is needed for a log line at best.
    HeadResult parse_head(std::string_view buffered, RequestHead& head);

    /// See `BodyDecoder::feed` and `BodyDecoder::next`.
    template <typename Sink>
    BodyDecoder::Result parse_body(std::string_view buffered, Sink&& sink) {
        return body_.feed(buffered, sink);
    }
    BodyDecoder::Step next_body(std::string_view buffered) { return body_.next(buffered); }
    [[nodiscard]] ParseState body_state() const { return body_.state(); }
    [[nodiscard]] const BodyDecoder& body() const { return body_; }

private:
    HeadScanner scanner_;
    BodyDecoder body_;
};

/// Responses of one upstream connection. Every error means the same: not HTTP, 502.
class ResponseParser {
public:
    explicit ResponseParser(const HeadLimits& limits = response_head_limits, const BodyLimits& body_limits = {})
        : scanner_(HeadScanner::Kind::response, limits), body_(body_limits) {}

    /// Prepares for the response to a request with this method: HEAD has no content whatever its fields say.
    void restart(std::string_view request_method);

    /// As for requests. A 1xx head is a result of its own: call again for the next. Not so 101, which is the last head of a
    /// connection that stops being HTTP; whether it was asked for is the caller's question. More than 100 interim heads fail.
    HeadResult parse_head(std::string_view buffered, ResponseHead& head);

    template <typename Sink>
    BodyDecoder::Result parse_body(std::string_view buffered, Sink&& sink) {
        return body_.feed(buffered, sink);
    }
    BodyDecoder::Step next_body(std::string_view buffered) { return body_.next(buffered); }
    /// The upstream closed. Before the head is done that is a failure; see `BodyDecoder::on_eof`.
    ParseState on_eof() { return body_.on_eof(); }
    [[nodiscard]] ParseState body_state() const { return body_.state(); }
    [[nodiscard]] const BodyDecoder& body() const { return body_; }

private:
    HeadScanner scanner_;
    BodyDecoder body_;
    bool to_head_ = false;
    unsigned interim_count_ = 0;
    std::string completed_;  ///< head with the SP that some servers leave out before an empty reason phrase
};

/// 1xx but 101.
constexpr bool is_interim(int status) {
    return status >= 100 && status < 200 && status != 101;
}

}  // namespace onceward::http
