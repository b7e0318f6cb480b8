#pragma once

#include "onceward/crypto/tls_context.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_session_st;

namespace onceward::crypto {

/// The latest session with one service, so that the next connection to it need not exchange certificates again. Of one event
/// loop.
class TlsSessions {
public:
    TlsSessions() = default;
    TlsSessions(const TlsSessions&) = delete;
    TlsSessions& operator=(const TlsSessions&) = delete;
    ~TlsSessions() { forget(); }

    /// Takes a reference that the caller has.
    void keep(ssl_session_st* session);
    void forget();
    [[nodiscard]] ssl_session_st* latest() const { return latest_; }

private:
    ssl_session_st* latest_ = nullptr;
};

/// One end of a TLS connection, without the connection: bytes of the socket go in and come out, and what they carry on the other
/// side. Buffers are given back while nothing is in them. Of one thread at a time.
class TlsEngine {
public:
    /// The end that is connected to.
    explicit TlsEngine(const TlsContext& context);
    /// The end that connects: to `name`, a host name or an IP address, which the certificate must be for where it is looked at.
    /// A session that is there is offered, and one that is given kept.
    TlsEngine(const TlsContext& context, const std::string& name, std::shared_ptr<TlsSessions> sessions);
    TlsEngine(const TlsEngine&) = delete;
    TlsEngine& operator=(const TlsEngine&) = delete;
    ~TlsEngine();

    enum class Step : std::uint8_t {
        done,
        want_input,  ///< once what is outgoing was sent
        ended,       ///< the peer said that nothing more comes
        failed       ///< for good; an alert for the peer may be outgoing
    };
    Step handshake();

    struct Read {
        Step step = Step::want_input;  ///< `done` when the room was filled
        std::size_t bytes = 0;
    };
    /// Takes as much content as is there and has room. A record that is not whole stays.
    Read read(std::span<char> into);
    /// Puts content into records, all of it; false once the connection has failed.
    bool write(std::string_view content);
    /// Says to the peer that nothing more comes, once. Does nothing before the handshake is done.
    void end();

    /// Where bytes from the socket go; valid until the next call. `arrived` says how many came.
    std::span<char> room(std::size_t bytes);
    void arrived(std::size_t bytes);
    /// Whether nothing has come of a record that is still to end.
    [[nodiscard]] bool at_record_end() const { return header_size_ == 0 && record_left_ == 0; }

    /// Bytes for the socket. `sent` takes the first off.
    [[nodiscard]] std::string_view outgoing() const { return std::string_view(out_).substr(out_at_); }
    void sent(std::size_t bytes);
    /// Some of what was outgoing at once was sent, and not all: the peer may be able to read what stood first.
    [[nodiscard]] bool is_partly_sent() const { return out_at_ > 0; }
    /// Gives buffers back that have grown and hold nothing.
    void shrink();

    /// Why it failed, for people.
    [[nodiscard]] const std::string& failure() const { return failure_; }
    /// The handshake failed for the peer speaks HTTP without TLS.
    [[nodiscard]] bool met_plain_http() const { return met_plain_http_; }
    /// Of the peer's certificate, as RFC 2253 writes it; may be empty. Nothing: it showed none.
    [[nodiscard]] std::optional<std::string> peer_subject() const;
    /// The handshake went on with an earlier session.
    [[nodiscard]] bool resumed() const;

private:
    friend struct TlsBytes;
    void attach();
    Step step_of(int result);
    void track(std::string_view bytes);

    ssl_st* ssl_ = nullptr;
    std::shared_ptr<TlsSessions> sessions_;
    std::string in_;  ///< what came from the socket stands from `in_at_` to `in_end_`
    std::size_t in_at_ = 0;
    std::size_t in_end_ = 0;
    std::string out_;
    std::size_t out_at_ = 0;
    std::array<unsigned char, 5> header_{};  ///< of the record that is coming in
    std::size_t header_size_ = 0;
    std::size_t record_left_ = 0;
    std::string failure_;
    bool met_plain_http_ = false;
    bool open_ = false;  ///< the handshake is done and nothing has failed
};

}  // namespace onceward::crypto
