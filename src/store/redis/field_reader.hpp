#pragma once

#include "onceward/base/hex.hpp"
#include "onceward/base/time.hpp"
#include "store/redis/resp.hpp"

#include <charconv>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

namespace onceward::store::redis {

/// Reads the values of a reply in turn. Once one is not what it should be, all that follow are refused as well.
class FieldReader {
public:
    explicit FieldReader(const Reply& reply) : values_(reply.values), ok_(reply.is_array) {}
    /// A part of a reply.
    explicit FieldReader(std::span<const Value> values) : values_(values) {}

    [[nodiscard]] bool at_end() const { return ok_ && next_ == values_.size(); }

    /// Nil reads as empty.
    std::string_view text() {
        if (!ok_ || next_ == values_.size()) {
            ok_ = false;
            return {};
        }
        const auto& value = values_[next_++];
        ok_ = value.kind == ValueKind::bulk || value.kind == ValueKind::nil;
        return value.text;
    }
    template <std::integral Number>
    Number number(Number least = 0) {
        const auto digits = text();
        Number number{};
        const auto* const end = digits.data() + digits.size();
        const auto result = std::from_chars(digits.data(), end, number);
        ok_ = ok_ && result.ec == std::errc{} && result.ptr == end && number >= least;
        return number;
    }
    StoreTime time() { return from_micros(number<std::int64_t>()); }
    /// True for `yes`, false for `no`.
    bool either(std::string_view yes, std::string_view no) {
        const auto word = text();
        ok_ = ok_ && (word == yes || word == no);
        return word == yes;
    }
    void refuse() { ok_ = false; }
    void require(bool condition) { ok_ = ok_ && condition; }

private:
    std::span<const Value> values_;
    std::size_t next_ = 0;
    bool ok_ = true;
};

}  // namespace onceward::store::redis
