#pragma once

#include "onceward/config/options.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

struct ssl_ctx_st;

namespace onceward::crypto {

/// What the connections of one listener, or to one service, share: certificates, keys and rules. TLS 1.2 and 1.3, HTTP/1.1 by
/// ALPN, no renegotiation. Immutable; used by any thread.
class TlsContext {
public:
    /// Takes the only reference.
    explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;
    ~TlsContext();

    [[nodiscard]] ssl_ctx_st* get() const { return context_; }

private:
    ssl_ctx_st* context_;
};
using TlsContextPtr = std::shared_ptr<const TlsContext>;

/// Why there is no context: what is wrong with which of the files, for people.
struct TlsComplaint {
    enum class About : std::uint8_t { certificate, key, ca };
    About about = About::certificate;
    std::string message;
};

/// By the contents of the files. Of a certificate the chain may follow; keys have no password.
std::variant<TlsContextPtr, TlsComplaint> make_server_context(const config::ListenerTls& tls);
std::variant<TlsContextPtr, TlsComplaint> make_client_context(const config::UpstreamTls& tls);

/// That the first certificate of a PEM text is over, or has not begun: a sentence with its date. Empty when it is valid now, or
/// no certificate.
std::string validity_complaint(std::string_view certificate);

}  // namespace onceward::crypto
