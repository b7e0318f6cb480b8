#pragma once

#include "onceward/config/options.hpp"
#include "onceward/guard/problem.hpp"
#include "onceward/guard/record.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/http/message.hpp"
#include "onceward/route/route_table.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace onceward::request {

/// Everything the guard needs to know about a request (spec sections 2.2 and 2.4).
struct Identified {
    RecordId id;
    guard::RequestIdentity identity;
    bool request_id_tells_key = false;  ///< the client's `X-Request-Id` is its key, or holds it: it is not for the log
    bool trace_id_tells_key = false;    ///< likewise that of its `traceparent`
};
/// No key on a route where it is optional: passes unguarded, counted as `passed`.
struct Keyless {};

/// What was received behind the head, transfer coding removed.
struct Content {
    std::string_view bytes;             ///< may be left out where the digest is there and no rule `reads_content`
    std::optional<Digest> digest = {};  ///< its SHA-256, where that is known already
};

using Identification = std::variant<Identified, Keyless, guard::ProblemCode>;

/// One route's rules for key, scope, caller and fingerprint, compiled. Immutable after construction; usable from any thread:
/// digest contexts are per thread.
class Identifier {
public:
    /// Keeps references to both.
    Identifier(const config::Route& route, const route::RouteTable& table, std::size_t index);
    ~Identifier();
    Identifier(Identifier&&) noexcept;

    /// What the head alone decides: a refusal (KEY_MISSING, KEY_INVALID), or `Keyless`, or nothing when the body must be read
    /// first. A request that is going to be refused on its head gets its refusal without `100 Continue`.
    [[nodiscard]] std::optional<std::variant<Keyless, guard::ProblemCode>> check_head(const http::RequestHead& head,
                                                                                      const route::Match& match,
                                                                                      const http::ClientFacts& client = {}) const;

    /// Whether a rule of the route looks into the content of such a request; else its digest is enough.
    [[nodiscard]] bool reads_content(const http::RequestHead& head) const;

    /// The whole, once the content is there. A value of scope or caller
    /// that is absent is a value of its own, other than an empty one; a field of several lines is its lines joined by commas.
    /// `derived` in `key.from` stands in only where no other alternative is present.
    [[nodiscard]] Identification identify(const http::RequestHead& head, const route::Match& match, const Content& content,
                                          const http::ClientFacts& client = {}) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What a key is filed under (spec section 10): SHA-256 over the route's name, the values of its `scope` in their order (nothing
/// for one that a request does not have) and the parts of the key (one, but for alternatives of `key.from` that are joined).
RecordId record_id(std::string_view route, std::span<const std::optional<std::string>> scope, std::span<const std::string> key);

/// A `from`/`scope`/`caller` entry as written (`header:Name`, `json:/a/b`); an error in words otherwise.
std::variant<config::Source, std::string> parse_source(std::string_view text);

/// A named preset of `key.from` (`cloudevents`, `pubsub`, `sns`, `standard-webhooks`, `stripe`, `github`, `shopify`, `wechatpay`,
/// `alipay`); nothing when there is none of that name.
std::optional<std::vector<config::SourceList>> preset(std::string_view name);

/// The Idempotency-Key header's grammar: RFC 9651 String or bare token characters and `:/=@`; 1 to 255 bytes. Nothing when it is
/// not a key. Quoted and bare spellings of one key give the same text.
std::optional<std::string> parse_key(std::string_view field_value);

/// True when `text` compiles as an RE2 pattern.
bool valid_pattern(const std::string& text);

}  // namespace onceward::request
