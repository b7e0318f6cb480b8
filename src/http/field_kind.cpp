#include "onceward/http/field_kind.hpp"

#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <array>

namespace onceward::http {

namespace {

struct Known {
    std::string_view name;  // lower case
    FieldKind kind;
};

constexpr std::array exact{
    Known{"te", FieldKind::te},
    Known{"via", FieldKind::via},
    Known{"host", FieldKind::host},
    Known{"date", FieldKind::date},
    Known{"expect", FieldKind::expect},
    Known{"upgrade", FieldKind::upgrade},
    Known{"trailer", FieldKind::hop_by_hop},
    Known{"forwarded", FieldKind::forwarded},
    Known{"connection", FieldKind::connection},
    Known{"keep-alive", FieldKind::hop_by_hop},
    Known{"tracestate", FieldKind::tracestate},
    Known{"traceparent", FieldKind::traceparent},
    Known{"max-forwards", FieldKind::max_forwards},
    Known{"x-request-id", FieldKind::request_id},
    Known{"content-length", FieldKind::content_length},
    Known{"x-forwarded-for", FieldKind::x_forwarded_for},
    Known{"proxy-connection", FieldKind::hop_by_hop},
    Known{"x-forwarded-host", FieldKind::x_forwarded_host},
    Known{"transfer-encoding", FieldKind::transfer_encoding},
    Known{"x-forwarded-proto", FieldKind::x_forwarded_proto},
};

constexpr std::array own{
    Known{"idempotency-operation-id", FieldKind::claim},
    Known{"idempotency-attempt", FieldKind::claim},
    Known{"idempotency-fence", FieldKind::claim},
    Known{"idempotency-status", FieldKind::idempotency_own},
    Known{"idempotency-replayed", FieldKind::idempotency_own},
    Known{"idempotency-recorded", FieldKind::idempotency_own},
    Known{"idempotency-guarded", FieldKind::idempotency_own},
    Known{"idempotency-original-date", FieldKind::idempotency_own},
    Known{"idempotency-outcome", FieldKind::idempotency_own},
};

constexpr std::size_t longest_exact = 17;

// Where the names of each length stand in `exact`, which is sorted by length: most fields are told apart by their length alone.
constexpr auto first_of_length = [] {
    std::array<std::uint8_t, longest_exact + 2> first{};
    for (std::size_t length = 0; length < first.size(); ++length) {
        std::uint8_t at = 0;
        while (at < exact.size() && exact[at].name.size() < length) {
            ++at;
        }
        first[length] = at;
    }
    return first;
}();

bool starts_like(std::string_view name, std::string_view lower) {
    return name.size() >= lower.size() && spelt_like(name.substr(0, lower.size()), lower);
}

FieldKind classify_family(std::string_view name) {
    if (starts_like(name, "x-forwarded-")) {
        return FieldKind::x_forwarded_other;
    }
    if (starts_like(name, "access-control-")) {
        return FieldKind::access_control;
    }
    if (starts_like(name, "idempotency-")) {
        for (const auto& known : own) {
            if (spelt_like(name, known.name)) {
                return known.kind;
            }
        }
    }
    return FieldKind::other;
}

}  // namespace

bool spelt_like(std::string_view name, std::string_view lower) {
    return std::equal(name.begin(), name.end(), lower.begin(), lower.end(),
                      [](char c, char wanted) { return base::to_lower(c) == wanted || (c == '_' && wanted == '-'); });
}

FieldKind classify(std::string_view name) {
    if (name.size() <= longest_exact) {
        for (std::size_t i = first_of_length[name.size()]; i < first_of_length[name.size() + 1]; ++i) {
            if (base::iequals(name, exact[i].name)) {
                return exact[i].kind;
            }
        }
    }
    const char first = name.empty() ? '\0' : base::to_lower(name.front());
    return first == 'x' || first == 'a' || first == 'i' ? classify_family(name) : FieldKind::other;
}

bool is_hop_by_hop_or_framing(std::string_view name) {
    return is_of_the_hop(classify(name));
}

}  // namespace onceward::http
