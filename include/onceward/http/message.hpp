#pragma once

#include "onceward/http/headers.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace onceward::http {

/// How the end of a message's content is found (RFC 9112 section 6.3). The only framing Onceward acts on: it is
/// decided once, from a head that passed every check, and written anew on the other side.
struct BodyFraming {
    enum class Kind : std::uint8_t { none, length, chunked, until_close };
    Kind kind = Kind::none;
    std::uint64_t length = 0;  ///< bytes; only for `length`
};

/// HTTP/1.x minor version.
enum class Version : std::uint8_t { http_1_0, http_1_1 };

/// A request head that passed every check of `http/framing`. Reusable: `clear()` keeps capacity.
struct RequestHead {
    std::string method;  ///< a token, as sent; case-sensitive
    std::string target;  ///< as sent: origin-form, absolute-form or `*`
    std::string path;    ///< path of the target as sent, without query; `*` for asterisk-form
    std::string query;   ///< after the first `?`, as sent; see `has_query`
    std::string host;    ///< authority of absolute-form, else the Host field; may be empty with HTTP/1.0
    bool has_query = false;
    Version version = Version::http_1_1;
    BodyFraming framing;
    bool keep_alive = true;          ///< RFC 9112 section 9.3
    bool expects_continue = false;   ///< `Expect: 100-continue` from an HTTP/1.1 client
    bool upgrade_websocket = false;  ///< `Upgrade: websocket` that `Connection` names, HTTP/1.1
    HeaderList headers;

    void clear();
};

/// A response head that passed every check of `http/framing`. Reusable.
struct ResponseHead {
    int status = 0;  ///< 100 to 999
    std::string reason;
    Version version = Version::http_1_1;
    BodyFraming framing;
    bool keep_alive = true;  ///< the upstream connection may be reused after the content
    HeaderList headers;

    void clear();
};

}  // namespace onceward::http
