#include "request/key_rule.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/base/assert.hpp"
#include "onceward/crypto/sha256.hpp"
#include "onceward/request/identify.hpp"
#include "request/key.hpp"
#include "request/media_type.hpp"

#include <re2/re2.h>

namespace onceward::request {

namespace {

using config::SourceKind;

// Buffers of one thread, used for the length of a call.
thread_local std::string field_text;
thread_local std::string part_text;
thread_local std::string joined_text;

bool is_idempotency_key(const config::Source& source) {
    return source.kind == SourceKind::header && base::iequals(source.name, "Idempotency-Key");
}

bool is_structured_event(const RequestView& request) {
    return base::iequals(media_type(request.head.headers.find("Content-Type")), "application/cloudevents+json");
}

}  // namespace

KeyRule::KeyRule(const config::Key& key, const std::vector<std::string>& path_parameters) {
    const auto events = preset("cloudevents").value_or(std::vector<config::SourceList>{});
    const bool takes_events = key.from == events;
    for (const auto& list : key.from) {
        auto& alternative = alternatives_.emplace_back();
        for (const auto& source : list) {
            alternative.sources.emplace_back(source, path_parameters);
            alternative.needs_body = alternative.needs_body || alternative.sources.back().needs_body();
            alternative.derived = alternative.derived || source.kind == SourceKind::derived;
        }
        // The data of an event in binary mode may have members named `id` and `source` of its own.
        alternative.structured_event = takes_events && list == events.back();
    }
    if (key.pattern) {
        pattern_ = std::make_unique<re2::RE2>(*key.pattern, re2::RE2::Quiet);
        // The loader has refused what does not compile.
        ONCEWARD_ASSERT(pattern_->ok());
    }
}

KeyRule::~KeyRule() = default;
KeyRule::KeyRule(KeyRule&&) noexcept = default;

bool KeyRule::needs_body() const {
    return std::any_of(alternatives_.begin(), alternatives_.end(), [](const Alternative& one) { return one.needs_body; });
}

Presence KeyRule::read_part(const SourceReader& source, const RequestView& request, std::string& part) const {
    const bool by_grammar = is_idempotency_key(source.source());
    const auto presence = source.read(request, Repeats::refused, by_grammar ? field_text : part);
    if (presence != Presence::present) {
        return presence;
    }
    const bool fine = by_grammar ? read_key(field_text, part) : is_key_length(part);
    return fine && (!pattern_ || re2::RE2::FullMatch(part, *pattern_)) ? Presence::present : Presence::invalid;
}

Presence KeyRule::read_alternative(const Alternative& alternative, const RequestView& request, std::string& joined) const {
    joined.clear();
    std::size_t count = 0;
    if (alternative.structured_event && !is_structured_event(request)) {
        return Presence::absent;
    }
    for (const auto& source : alternative.sources) {
        const auto presence = read_part(source, request, part_text);
        if (presence == Presence::invalid) {
            return presence;
        }
        if (presence == Presence::present) {
            crypto::append_sized(joined, part_text);
            ++count;
        }
    }
    if (count == 0) {
        return Presence::absent;
    }
    return count == alternative.sources.size() ? Presence::present : Presence::invalid;
}

KeyRule::Outcome KeyRule::read(const RequestView& request, Extent extent, std::string& key) const {
    bool open = false;
    key.clear();
    for (const auto& alternative : alternatives_) {
        if (extent == Extent::head && alternative.needs_body) {
            open = true;
            continue;
        }
        // Derived from the request and not sent by the client: stands in where there is no key, never against one.
        if (alternative.derived && !key.empty()) {
            continue;
        }
        const auto presence = read_alternative(alternative, request, joined_text);
        if (presence == Presence::invalid || (presence == Presence::present && !key.empty() && key != joined_text)) {
            return Outcome::invalid;
        }
        if (presence == Presence::present) {
            key = joined_text;
        }
    }
    return !key.empty() ? Outcome::found : open ? Outcome::open : Outcome::missing;
}

}  // namespace onceward::request
