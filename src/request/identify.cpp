#include "onceward/request/identify.hpp"

#include "onceward/base/hex.hpp"
#include "onceward/crypto/sha256.hpp"
#include "onceward/http/request_id.hpp"
#include "onceward/http/trace.hpp"
#include "request/fingerprint.hpp"
#include "request/key_rule.hpp"
#include "request/source_reader.hpp"

#include <algorithm>
#include <utility>

namespace onceward::request {

namespace {

using guard::ProblemCode;

// Buffers of one thread, used for the length of a call.
thread_local std::string key_text;
thread_local std::string list_text;
thread_local std::string value_text;
thread_local std::string id_text;
thread_local std::string derived_text;

std::vector<SourceReader> compile(const config::SourceList& list, const std::vector<std::string>& path_parameters) {
    std::vector<SourceReader> readers;
    for (const auto& source : list) {
        readers.emplace_back(source, path_parameters);
    }
    return readers;
}

void append_presence(std::string& joined, Presence presence) {
    joined.push_back(presence == Presence::present ? '=' : '-');
}

// A value that is not there is a value of its own: who has no account, or sends no credentials, is a caller too.
// False when something is there that can't be told to be one value.
bool join(const std::vector<SourceReader>& list, const RequestView& request, Extent extent, std::string& joined) {
    joined.clear();
    for (const auto& source : list) {
        if (extent == Extent::head && source.needs_body()) {
            continue;
        }
        const auto presence = source.read(request, Repeats::joined, value_text);
        if (presence == Presence::invalid) {
            return false;
        }
        append_presence(joined, presence);
        if (presence == Presence::present) {
            crypto::append_sized(joined, value_text);
        }
    }
    return true;
}

/// Whether who reads `id` knows a part of the key. Parts that are very short stand in many an id by chance.
bool tells(std::string_view id, std::string_view key_part) {
    constexpr std::size_t telling = 4;
    const auto longer = id.size() > key_part.size() ? id : key_part;
    const auto shorter = id.size() > key_part.size() ? key_part : id;
    return !id.empty() && (id == key_part || (shorter.size() >= telling && longer.find(shorter) != std::string_view::npos));
}

/// `key` as `KeyRule::read` has written it: each part behind its length.
bool tells_any(std::string_view id, std::string_view key) {
    bool found = false;
    while (!found && !key.empty()) {
        const auto part = crypto::take_sized(key);
        found = tells(id, part);
    }
    return found;
}

/// `scope` and `key` are joined lists.
RecordId id_of(std::string_view route, std::string_view scope, std::string_view key) {
    id_text.clear();
    for (const auto part : {route, scope, key}) {
        crypto::append_sized(id_text, part);
    }
    return {crypto::sha256(id_text).bytes};
}

}  // namespace

RecordId record_id(std::string_view route, std::span<const std::optional<std::string>> scope, std::span<const std::string> key) {
    list_text.clear();
    for (const auto& value : scope) {
        append_presence(list_text, value ? Presence::present : Presence::absent);
        if (value) {
            crypto::append_sized(list_text, *value);
        }
    }
    key_text.clear();
    for (const auto& part : key) {
        crypto::append_sized(key_text, part);
    }
    return id_of(route, list_text, key_text);
}

struct Identifier::Impl {
    Impl(const config::Route& of, const std::vector<std::string>& path_parameters)
        : route(of),
          key(of.key, path_parameters),
          scope(compile(of.scope, path_parameters)),
          caller(compile(of.caller, path_parameters)),
          fingerprint(of) {}

    // The code that a request without a usable key gets, or Keyless.
    [[nodiscard]] std::variant<Keyless, ProblemCode> without_key(KeyRule::Outcome outcome) const {
        if (outcome == KeyRule::Outcome::missing && !route.key.required) {
            return Keyless{};
        }
        return outcome == KeyRule::Outcome::missing ? ProblemCode::key_missing : ProblemCode::key_invalid;
    }

    const config::Route& route;
    KeyRule key;
    std::vector<SourceReader> scope;
    std::vector<SourceReader> caller;
    FingerprintRule fingerprint;
};

Identifier::Identifier(const config::Route& route, const route::RouteTable& table, std::size_t index)
    : impl_(std::make_unique<Impl>(route, table.parameter_names(index))) {}
Identifier::~Identifier() = default;
Identifier::Identifier(Identifier&&) noexcept = default;

std::optional<std::variant<Keyless, ProblemCode>> Identifier::check_head(const http::RequestHead& head, const route::Match& match,
                                                                         const http::ClientFacts& client) const {
    const RequestView request{head, match, {}, {}, client, nullptr};
    const auto outcome = impl_->key.read(request, Extent::head, key_text);
    if (outcome == KeyRule::Outcome::missing || outcome == KeyRule::Outcome::invalid) {
        return impl_->without_key(outcome);
    }
    if (!join(impl_->scope, request, Extent::head, list_text) || !join(impl_->caller, request, Extent::head, list_text)) {
        return ProblemCode::key_invalid;
    }
    return std::nullopt;
}

bool Identifier::reads_content(const http::RequestHead& head) const {
    const auto any_reads = [](const std::vector<SourceReader>& list) {
        return std::any_of(list.begin(), list.end(), [](const SourceReader& source) { return source.needs_body(); });
    };
    return impl_->key.needs_body() || any_reads(impl_->scope) || any_reads(impl_->caller) ||
           impl_->fingerprint.reads_body(head.headers);
}

Identification Identifier::identify(const http::RequestHead& head, const route::Match& match, const Content& content,
                                    const http::ClientFacts& client) const {
    Identified result;
    RequestView request{head, match, content.bytes, {}, client, content.digest ? &*content.digest : nullptr};
    impl_->fingerprint.apply(request, result.identity);
    derived_text.clear();
    base::append_hex(derived_text, result.identity.fingerprint.bytes);
    request.derived = derived_text;
    const auto outcome = impl_->key.read(request, Extent::whole, key_text);
    if (outcome != KeyRule::Outcome::found) {
        return std::visit([](auto other) { return Identification(other); }, impl_->without_key(outcome));
    }
    if (!join(impl_->caller, request, Extent::whole, list_text)) {
        return ProblemCode::key_invalid;
    }
    result.identity.caller = crypto::sha256(list_text);
    if (!join(impl_->scope, request, Extent::whole, list_text)) {
        return ProblemCode::key_invalid;
    }
    result.id = id_of(impl_->route.name, list_text, key_text);
    result.request_id_tells_key = tells_any(http::request_id(head.headers), key_text);
    result.trace_id_tells_key = tells_any(http::trace_id(head.headers), key_text);
    return result;
}

}  // namespace onceward::request
