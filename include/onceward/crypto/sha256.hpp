#pragma once

#include "onceward/base/tagged.hpp"

#include <cstddef>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace onceward::crypto {

/// SHA-256 of a text that comes in pieces. Contexts are kept per thread: make, use and destroy an object on one thread.
/// `finish` ends it; after that only destruction or assignment is allowed.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&& other) noexcept;
    Sha256& operator=(Sha256&& other) noexcept;

    void update(std::string_view bytes);
    /// Length (8 bytes, big-endian), then the bytes: no two lists of values give the same input.
    void update_sized(std::string_view bytes);
    [[nodiscard]] Digest finish();

private:
    evp_md_ctx_st* context_;
};

/// SHA-256 of `bytes`.
Digest sha256(std::string_view bytes);

/// Appends what `Sha256::update_sized` hashes: cheaper than many updates where the values are short.
void append_sized(std::string& out, std::string_view bytes);

/// The bytes of a digest as text, to be hashed again.
inline std::string_view as_text(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

}  // namespace onceward::crypto
