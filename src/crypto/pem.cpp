#include "crypto/pem.hpp"

#include "crypto/openssl_text.hpp"
#include "onceward/base/assert.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace onceward::crypto {

namespace {

/// Else OpenSSL would ask the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
    *static_cast<bool*>(asked) = true;
    return -1;
}

using About = TlsComplaint::About;

}  // namespace

void FreeOpenssl::operator()(BIO* bio) const {
    BIO_free(bio);
}
void FreeOpenssl::operator()(X509* certificate) const {
    X509_free(certificate);
}
void FreeOpenssl::operator()(EVP_PKEY* key) const {
    EVP_PKEY_free(key);
}
void FreeOpenssl::operator()(SSL_CTX* context) const {
    SSL_CTX_free(context);
}

Owned<BIO> reader_of(std::string_view text) {
    Owned<BIO> bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    ONCEWARD_ASSERT(bio);
    return bio;
}

std::vector<Owned<X509>> read_certificates(std::string_view text) {
    std::vector<Owned<X509>> certificates;
    const auto bio = reader_of(text);
    ERR_clear_error();
    while (Owned<X509> certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
        certificates.push_back(std::move(certificate));
    }
    // The end of the text shows as a missing start line; anything else is a certificate that can't be read.
    if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
        certificates.clear();
    }
    ERR_clear_error();
    return certificates;
}

std::variant<Owned<EVP_PKEY>, std::string> read_key(std::string_view text) {
    bool asked = false;
    ERR_clear_error();
    Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(reader_of(text).get(), nullptr, no_password, &asked));
    ERR_clear_error();
    if (key) {
        return key;
    }
    return asked ? std::string("is encrypted: expected a private key without a password")
                 : std::string("holds no private key: expected one in PEM");
}

std::optional<TlsComplaint> use_identity(SSL_CTX& context, std::string_view certificate, std::string_view key) {
    auto chain = read_certificates(certificate);
    if (chain.empty()) {
        return TlsComplaint{About::certificate, "holds no certificate, or a broken one: expected PEM, the server's own first"};
    }
    if (SSL_CTX_use_certificate(&context, chain.front().get()) != 1) {
        return TlsComplaint{About::certificate, "can't be used: " + openssl_failure()};
    }
    for (std::size_t i = 1; i < chain.size(); ++i) {
        if (SSL_CTX_add1_chain_cert(&context, chain[i].get()) != 1) {
            return TlsComplaint{About::certificate, "can't be used: " + openssl_failure()};
        }
    }
    const auto read = read_key(key);
    if (const auto* problem = std::get_if<std::string>(&read)) {
        return TlsComplaint{About::key, *problem};
    }
    auto* own = std::get<Owned<EVP_PKEY>>(read).get();
    if (X509_check_private_key(chain.front().get(), own) != 1) {
        ERR_clear_error();
        return TlsComplaint{About::key, "is not the key of the certificate: expected the one that it was made for"};
    }
    if (SSL_CTX_use_PrivateKey(&context, own) != 1) {
        return TlsComplaint{About::key, "can't be used: " + openssl_failure()};
    }
    return std::nullopt;
}

}  // namespace onceward::crypto
