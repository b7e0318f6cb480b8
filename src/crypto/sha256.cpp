#include "onceward/crypto/sha256.hpp"

#include "onceward/base/assert.hpp"

// OpenSSL's EVP interface allocates anew at each digest; several are made for every request. The algorithm's own interface is
// old, not unsafe, and keeps its state where we put it.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace onceward::crypto {

static_assert(sizeof(SHA256_CTX) == Sha256::state_bytes && alignof(SHA256_CTX) <= alignof(std::uint64_t));

namespace {

SHA256_CTX* context(unsigned char* state) {
    return static_cast<SHA256_CTX*>(static_cast<void*>(state));
}

std::array<char, 8> big_endian(std::uint64_t n) {
    std::array<char, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>((n >> (56U - 8U * i)) & 0xffU);
    }
    return bytes;
}

}  // namespace

Sha256::Sha256() {  // NOLINT(cppcoreguidelines-pro-type-member-init): SHA256_Init does it
    const int started = SHA256_Init(context(state_));
    ONCEWARD_ASSERT(started == 1);
}

void Sha256::update(std::string_view bytes) {
    const int added = SHA256_Update(context(state_), bytes.data(), bytes.size());
    ONCEWARD_ASSERT(added == 1);
}

void Sha256::update_sized(std::string_view bytes) {
    const auto size = big_endian(bytes.size());
    update({size.data(), size.size()});
    update(bytes);
}

Digest Sha256::finish() {
    Digest digest;
    const int finished = SHA256_Final(digest.bytes.data(), context(state_));
    ONCEWARD_ASSERT(finished == 1);
    return digest;
}

Digest sha256(std::string_view bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.finish();
}

void append_sized(std::string& out, std::string_view bytes) {
    const auto size = big_endian(bytes.size());
    out.append(size.data(), size.size()).append(bytes);
}

std::string_view take_sized(std::string_view& list) {
    constexpr std::size_t size_bytes = 8;
    std::uint64_t size = 0;
    for (const char c : list.substr(0, size_bytes)) {
        size = size << 8U | static_cast<unsigned char>(c);
    }
    list.remove_prefix(std::min(size_bytes, list.size()));
    const auto value = list.substr(0, size);
    list.remove_prefix(value.size());
    return value;
}

}  // namespace onceward::crypto
