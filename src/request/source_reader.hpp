#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/config/options.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/http/message.hpp"
#include "onceward/route/route_table.hpp"
#include "request/json_document.hpp"
#include "request/presence.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::request {

/// A request as sources see it.
struct RequestView {
    const http::RequestHead& head;
    const route::Match& match;
    std::string_view body;
    std::string_view derived;  ///< the fingerprint as text; empty while the body is not there
    const http::ClientFacts& client;
    const Digest* body_digest = nullptr;  ///< null: not known yet
};

/// How much of the request is there.
enum class Extent : std::uint8_t { head, whole };

/// What a field that stands there several times is: no single value (key), or its lines joined by commas (RFC 9110 section 5.3).
enum class Repeats : std::uint8_t { refused, joined };

/// One source of a route, ready to be read from any request.
class SourceReader {
public:
    SourceReader(const config::Source& source, const std::vector<std::string>& path_parameters);

    [[nodiscard]] bool needs_body() const;
    [[nodiscard]] const config::Source& source() const { return source_; }

    /// Puts the value, decoded, into `value`.
    Presence read(const RequestView& request, Repeats repeats, std::string& value) const;

private:
    Presence read_json(const RequestView& request, std::string& value) const;
    Presence read_claim(const RequestView& request, std::string& value) const;

    config::Source source_;
    JsonPointer pointer_;        ///< of `json` and `jwt`
    std::size_t parameter_ = 0;  ///< index of a `path` name
};

/// The lines of a field, joined. Absent when there is none.
Presence read_header(const http::HeaderList& headers, std::string_view name, Repeats repeats, std::string& value);

}  // namespace onceward::request
