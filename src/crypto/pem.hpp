#pragma once

#include "onceward/crypto/tls_context.hpp"

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::crypto {

struct FreeOpenssl {
    void operator()(BIO* bio) const;
    void operator()(X509* certificate) const;
    void operator()(EVP_PKEY* key) const;
    void operator()(SSL_CTX* context) const;
};
template <typename T>
using Owned = std::unique_ptr<T, FreeOpenssl>;

/// Reads `text`, which must outlive it.
Owned<BIO> reader_of(std::string_view text);
/// All certificates of a PEM text, in their order; none when there is none or one of them is broken.
std::vector<Owned<X509>> read_certificates(std::string_view text);
/// The first private key, or what is wrong, for people.
std::variant<Owned<EVP_PKEY>, std::string> read_key(std::string_view text);

/// Gives `context` a certificate, its chain and its key. What is wrong with them, if anything.
std::optional<TlsComplaint> use_identity(SSL_CTX& context, std::string_view certificate, std::string_view key);

}  // namespace onceward::crypto
