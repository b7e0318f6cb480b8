#pragma once

#include "onceward/base/assert.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace onceward::test {

/// A certificate with its key, made by the test that needs it.
class Certificate {
public:
    struct Wish {
        std::string subject;     ///< common name; empty: a certificate without a subject
        std::string names = {};  ///< `DNS:a.test,IP:127.0.0.1`
        long from = -60;         ///< seconds from now
        long until = 3600;
    };

    /// An authority: signed by itself.
    static Certificate authority(const std::string& name) { return {{name}, nullptr}; }
    [[nodiscard]] Certificate issue(const Wish& wish) const { return {wish, this}; }

    [[nodiscard]] std::string pem() const {
        return text([this](BIO* bio) { return PEM_write_bio_X509(bio, certificate_.get()); });
    }
    [[nodiscard]] std::string key_pem() const {
        return text(
            [this](BIO* bio) { return PEM_write_bio_PKCS8PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    }
    [[nodiscard]] std::string encrypted_key_pem() const {
        return text([this](BIO* bio) {
            return PEM_write_bio_PKCS8PrivateKey(bio, key_.get(), EVP_aes_256_cbc(), "secret", 6, nullptr, nullptr);
        });
    }

private:
    struct Free {
        void operator()(X509* certificate) const { X509_free(certificate); }
        void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
        void operator()(BIO* bio) const { BIO_free(bio); }
        void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
    };

    Certificate(const Wish& wish, const Certificate* issuer) : certificate_(X509_new()), key_(EVP_EC_gen("P-256")) {
        static long serial = 1;
        auto* own = certificate_.get();
        X509_set_version(own, X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(own), ++serial);
        X509_gmtime_adj(X509_getm_notBefore(own), wish.from);
        X509_gmtime_adj(X509_getm_notAfter(own), wish.until);
        if (!wish.subject.empty()) {
            X509_NAME_add_entry_by_txt(X509_get_subject_name(own), "CN", MBSTRING_UTF8,
                                       reinterpret_cast<const unsigned char*>(wish.subject.data()),
                                       static_cast<int>(wish.subject.size()), -1, 0);
        }
        const auto* signer = issuer == nullptr ? this : issuer;
        X509_set_issuer_name(own, X509_get_subject_name(signer->certificate_.get()));
        X509_set_pubkey(own, key_.get());
        add(NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
        if (!wish.names.empty()) {
            add(NID_subject_alt_name, wish.names);
        }
        ONCEWARD_ASSERT(X509_sign(own, signer->key_.get(), EVP_sha256()) > 0);
    }

    void add(int kind, const std::string& value) {
        const std::unique_ptr<X509_EXTENSION, Free> extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
        ONCEWARD_ASSERT(extension && X509_add_ext(certificate_.get(), extension.get(), -1) == 1);
    }

    template <typename Write>
    static std::string text(Write write) {
        const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
        ONCEWARD_ASSERT(write(bio.get()) == 1);
        char* bytes = nullptr;
        const auto size = BIO_get_mem_data(bio.get(), &bytes);
        return {bytes, static_cast<std::size_t>(size)};
    }

    std::unique_ptr<X509, Free> certificate_;
    std::unique_ptr<EVP_PKEY, Free> key_;
};

}  // namespace onceward::test
