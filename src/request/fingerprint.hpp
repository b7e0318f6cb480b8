#pragma once

#include "onceward/guard/record.hpp"
#include "request/json_document.hpp"
#include "request/source_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace onceward::request {

/// A route's `fingerprint:`, compiled (spec section 2.4). Immutable.
class FingerprintRule {
public:
    explicit FingerprintRule(const config::Route& route);

    /// Fills everything but the caller.
    void apply(const RequestView& request, guard::RequestIdentity& identity) const;
    /// Whether the digest of a body of this Content-Type is not enough.
    [[nodiscard]] bool reads_body(const http::HeaderList& headers) const;

private:
    struct Part {
        config::PartKind kind;
        std::string name;  ///< as the record's `parts` names it: `body`, `header:if-match`
        std::string header;
    };
    /// Digests of texts that most requests of the route have.
    struct Known {
        std::string text;
        Digest digest;
    };

    [[nodiscard]] Digest digest_of(std::string_view text) const;
    [[nodiscard]] Digest part_digest(const Part& part, const RequestView& request, const Digest& raw_body) const;
    [[nodiscard]] Digest body_digest(const RequestView& request, const Digest& raw_body) const;

    bool case_sensitive_;
    config::JsonMode json_;
    std::vector<JsonPointer> ignored_;
    std::vector<Part> parts_;
    std::size_t named_parts_ = 0;  ///< as many as fit into the record's `parts`
    std::vector<Known> known_;
    guard::FingerprintVersion version_;
};

}  // namespace onceward::request
