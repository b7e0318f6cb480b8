#include "onceward/crypto/tls_context.hpp"

#include "crypto/openssl_text.hpp"
#include "crypto/pem.hpp"
#include "crypto/tls_callbacks.hpp"
#include "onceward/base/assert.hpp"

#include <openssl/asn1.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace onceward::crypto {

namespace {

using About = TlsComplaint::About;

/// How long a client may go on with an earlier session instead of showing its certificate again.
constexpr long session_seconds = 300;
constexpr std::string_view session_name = "onceward";
constexpr unsigned char offered_protocols[] = "\x08http/1.1";

Owned<SSL_CTX> new_context(const SSL_METHOD* method) {
    Owned<SSL_CTX> context(SSL_CTX_new(method));
    ONCEWARD_ASSERT(context);
    const auto bounded = SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    ONCEWARD_ASSERT(bounded == 1);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    return context;
}

/// Trusts what `ca` holds, and has a server name these to its clients.
std::optional<TlsComplaint> trust(SSL_CTX& context, std::string_view ca) {
    const auto certificates = read_certificates(ca);
    if (certificates.empty()) {
        return TlsComplaint{About::ca, "holds no certificate, or a broken one: expected those of authorities, in PEM"};
    }
    for (const auto& certificate : certificates) {
        const bool added = X509_STORE_add_cert(SSL_CTX_get_cert_store(&context), certificate.get()) == 1;
        if (!added || SSL_CTX_add_client_CA(&context, certificate.get()) != 1) {
            return TlsComplaint{About::ca, "can't be used: " + openssl_failure()};
        }
    }
    return std::nullopt;
}

TlsContextPtr shared(Owned<SSL_CTX> context) {
    return std::make_shared<const TlsContext>(context.release());
}

std::string date_of(const ASN1_TIME* time) {
    const Owned<BIO> bio(BIO_new(BIO_s_mem()));
    ASN1_TIME_print(bio.get(), time);
    char text[64] = {};
    const int size = BIO_read(bio.get(), text, sizeof text);
    return {text, static_cast<std::size_t>(size > 0 ? size : 0)};
}

}  // namespace

TlsContext::~TlsContext() {
    SSL_CTX_free(context_);
}

std::variant<TlsContextPtr, TlsComplaint> make_server_context(const config::ListenerTls& tls) {
    auto context = new_context(TLS_server_method());
    if (auto complaint = use_identity(*context, tls.certificate.content, tls.key.content)) {
        return std::move(*complaint);
    }
    // Sessions live in tickets that the clients keep.
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_timeout(context.get(), session_seconds);
    const auto* name = reinterpret_cast<const unsigned char*>(session_name.data());
    SSL_CTX_set_session_id_context(context.get(), name, static_cast<unsigned>(session_name.size()));
    SSL_CTX_set_alpn_select_cb(context.get(), select_protocol, nullptr);
    if (!tls.client_ca.content.empty()) {
        if (auto complaint = trust(*context, tls.client_ca.content)) {
            return std::move(*complaint);
        }
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    return shared(std::move(context));
}

std::variant<TlsContextPtr, TlsComplaint> make_client_context(const config::UpstreamTls& tls) {
    auto context = new_context(TLS_client_method());
    if (!tls.certificate.content.empty()) {
        if (auto complaint = use_identity(*context, tls.certificate.content, tls.key.content)) {
            return std::move(*complaint);
        }
    }
    if (!tls.ca.content.empty()) {
        if (auto complaint = trust(*context, tls.ca.content)) {
            return std::move(*complaint);
        }
    } else if (SSL_CTX_set_default_verify_paths(context.get()) != 1) {
        return TlsComplaint{About::ca, "the authorities of the system can't be read: " + openssl_failure()};
    }
    SSL_CTX_set_verify(context.get(), tls.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context.get(), keep_session);
    const int offered = SSL_CTX_set_alpn_protos(context.get(), offered_protocols, sizeof offered_protocols - 1);
    ONCEWARD_ASSERT(offered == 0);
    return shared(std::move(context));
}

std::string validity_complaint(std::string_view certificate) {
    const auto chain = read_certificates(certificate);
    if (chain.empty()) {
        return {};
    }
    const auto* begin = X509_get0_notBefore(chain.front().get());
    const auto* end = X509_get0_notAfter(chain.front().get());
    if (X509_cmp_current_time(end) <= 0) {
        return "the certificate has expired: it was valid until " + date_of(end);
    }
    if (X509_cmp_current_time(begin) > 0) {
        return "the certificate is not valid yet: it is from " + date_of(begin);
    }
    return {};
}

}  // namespace onceward::crypto
