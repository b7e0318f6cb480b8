#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace onceward {

/// A number that can't be mistaken for another kind of number: `Fence` and `Attempt` do not convert.
template <typename Tag, typename Number>
struct TaggedNumber {
    Number value{};
    friend constexpr auto operator<=>(const TaggedNumber&, const TaggedNumber&) = default;
};

/// Bytes of fixed length that can't be mistaken for another kind of bytes.
template <typename Tag, std::size_t Size>
struct TaggedBytes {
    static constexpr std::size_t size = Size;
    std::array<std::uint8_t, Size> bytes{};
    friend constexpr auto operator<=>(const TaggedBytes&, const TaggedBytes&) = default;
};

/// Grows with every claim of a record, over its whole history (protocol section 4). Positive.
using Fence = TaggedNumber<struct FenceTag, std::int64_t>;
/// 1 for the first claim of a record, +1 for each later one.
using Attempt = TaggedNumber<struct AttemptTag, std::uint32_t>;
/// A snowflake id (spec section 5): positive, fits 63 bits.
using OperationId = TaggedNumber<struct OperationIdTag, std::int64_t>;

/// Names the holder of a claim: 128 random bits, new for each claim, never reused.
using OwnerToken = TaggedBytes<struct OwnerTokenTag, 16>;
/// SHA-256 over route, scope and key, length-prefixed: the key itself is never stored.
using RecordId = TaggedBytes<struct RecordIdTag, 32>;
/// A SHA-256 digest.
using Digest = TaggedBytes<struct DigestTag, 32>;

}  // namespace onceward
