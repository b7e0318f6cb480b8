#pragma once

#include "onceward/base/tagged.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace onceward::crypto {

/// SHA-256 of a text that comes in pieces. A plain value: allocates nothing. `finish` ends it; then only assignment is allowed.
class Sha256 {
public:
    static constexpr std::size_t state_bytes = 112;

    Sha256();

    void update(std::string_view bytes);
    /// Length (8 bytes, big-endian), then the bytes: no two lists of values give the same input.
    void update_sized(std::string_view bytes);
    [[nodiscard]] Digest finish();

private:
    alignas(std::uint64_t) unsigned char state_[state_bytes];
};

/// SHA-256 of `bytes`.
Digest sha256(std::string_view bytes);

/// Appends what `Sha256::update_sized` hashes: cheaper than many updates where the values are short.
void append_sized(std::string& out, std::string_view bytes);

/// Takes the first of the values that `append_sized` wrote off the front of `list`.
std::string_view take_sized(std::string_view& list);

/// The bytes of a digest as text, to be hashed again.
inline std::string_view as_text(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

}  // namespace onceward::crypto
