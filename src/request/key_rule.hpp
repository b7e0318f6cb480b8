#pragma once

#include "onceward/config/options.hpp"
#include "request/source_reader.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace onceward::request {

/// A route's `key:`, compiled (spec sections 2.2 and 4). Immutable.
class KeyRule {
public:
    KeyRule(const config::Key& key, const std::vector<std::string>& path_parameters);
    ~KeyRule();
    KeyRule(KeyRule&&) noexcept;

    enum class Outcome : std::uint8_t {
        found,
        missing,
        invalid,
        open  ///< the head holds no key; the body may
    };
    /// Puts the key's parts, length-prefixed, into `key`.
    Outcome read(const RequestView& request, Extent extent, std::string& key) const;
    /// Whether one of its sources is in the body.
    [[nodiscard]] bool needs_body() const;

private:
    struct Alternative {
        std::vector<SourceReader> sources;
        bool needs_body = false;
        bool derived = false;
        bool structured_event = false;
    };

    Presence read_part(const SourceReader& source, const RequestView& request, std::string& part) const;
    Presence read_alternative(const Alternative& alternative, const RequestView& request, std::string& joined) const;

    std::vector<Alternative> alternatives_;
    std::unique_ptr<re2::RE2> pattern_;
};

}  // namespace onceward::request
