#include "onceward/crypto/sha256.hpp"

#include "onceward/base/assert.hpp"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace onceward::crypto {

namespace {

// Fetched once: an implicit fetch at each digest costs as much as the hash of a short text.
const EVP_MD* algorithm() {
    static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    ONCEWARD_ASSERT(fetched != nullptr);
    return fetched;
}

// Contexts that no object uses at the moment. As many as were ever used at once on this thread.
class IdleContexts {
public:
    IdleContexts() = default;
    IdleContexts(const IdleContexts&) = delete;
    IdleContexts& operator=(const IdleContexts&) = delete;
    ~IdleContexts() {
        for (auto* context : contexts_) {
            EVP_MD_CTX_free(context);
        }
    }

    EVP_MD_CTX* take() {
        if (contexts_.empty()) {
            auto* fresh = EVP_MD_CTX_new();
            ONCEWARD_ASSERT(fresh != nullptr);
            return fresh;
        }
        auto* context = contexts_.back();
        contexts_.pop_back();
        return context;
    }
    void give_back(EVP_MD_CTX* context) { contexts_.push_back(context); }

private:
    std::vector<EVP_MD_CTX*> contexts_;
};

thread_local IdleContexts idle;

std::array<char, 8> big_endian(std::uint64_t n) {
    std::array<char, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>((n >> (56U - 8U * i)) & 0xffU);
    }
    return bytes;
}

}  // namespace

Sha256::Sha256() : context_(idle.take()) {
    const int started = EVP_DigestInit_ex2(context_, algorithm(), nullptr);
    ONCEWARD_ASSERT(started == 1);
}

Sha256::~Sha256() {
    if (context_ != nullptr) {
        idle.give_back(context_);
    }
}

Sha256::Sha256(Sha256&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}

Sha256& Sha256::operator=(Sha256&& other) noexcept {
    std::swap(context_, other.context_);
    return *this;
}

void Sha256::update(std::string_view bytes) {
    const int added = EVP_DigestUpdate(context_, bytes.data(), bytes.size());
    ONCEWARD_ASSERT(added == 1);
}

void Sha256::update_sized(std::string_view bytes) {
    const auto size = big_endian(bytes.size());
    update({size.data(), size.size()});
    update(bytes);
}

Digest Sha256::finish() {
    Digest digest;
    const int finished = EVP_DigestFinal_ex(context_, digest.bytes.data(), nullptr);
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

}  // namespace onceward::crypto
