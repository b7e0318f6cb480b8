#include "onceward/crypto/tls_engine.hpp"

#include "crypto/openssl_text.hpp"
#include "crypto/pem.hpp"
#include "crypto/tls_callbacks.hpp"
#include "onceward/base/assert.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace onceward::crypto {

namespace {

/// Buffers that hold nothing are given back when they have grown beyond this.
constexpr std::size_t kept_capacity = 1024;

}  // namespace

/// What OpenSSL reads and writes by: the engine's buffers.
struct TlsBytes {
    static TlsEngine& engine_of(BIO* bio) { return *static_cast<TlsEngine*>(BIO_get_data(bio)); }

    static int read(BIO* bio, char* into, int size) {
        auto& engine = engine_of(bio);
        BIO_clear_retry_flags(bio);
        const auto count = std::min(static_cast<std::size_t>(size), engine.in_end_ - engine.in_at_);
        if (count == 0) {
            BIO_set_retry_read(bio);
            return -1;
        }
        std::copy_n(engine.in_.data() + engine.in_at_, count, into);
        engine.in_at_ += count;
        return static_cast<int>(count);
    }
    static int write(BIO* bio, const char* from, int size) {
        engine_of(bio).out_.append(from, static_cast<std::size_t>(size));
        return size;
    }
    static long control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) { return command == BIO_CTRL_FLUSH; }

    static const BIO_METHOD* method() {
        static BIO_METHOD* const made = [] {
            auto* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffers of an engine");
            ONCEWARD_ASSERT(method != nullptr);
            BIO_meth_set_read(method, read);
            BIO_meth_set_write(method, write);
            BIO_meth_set_ctrl(method, control);
            return method;
        }();
        return made;
    }

    static TlsSessions* sessions_of(SSL* ssl) { return static_cast<TlsEngine*>(SSL_get_app_data(ssl))->sessions_.get(); }
};

// As OpenSSL calls it. NOLINTNEXTLINE(readability-function-size)
int select_protocol(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void* /*argument*/) {
    static constexpr unsigned char known[] = "\x08http/1.1\x08http/1.0";
    unsigned char* out = nullptr;
    if (SSL_select_next_proto(&out, size, known, sizeof known - 1, offered, offered_size) != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *chosen = out;
    return SSL_TLSEXT_ERR_OK;
}

int keep_session(SSL* ssl, SSL_SESSION* session) {
    auto* sessions = TlsBytes::sessions_of(ssl);
    if (sessions == nullptr) {
        return 0;
    }
    sessions->keep(session);
    return 1;
}

void TlsSessions::keep(ssl_session_st* session) {
    forget();
    latest_ = session;
}

void TlsSessions::forget() {
    SSL_SESSION_free(std::exchange(latest_, nullptr));
}

TlsEngine::TlsEngine(const TlsContext& context) : ssl_(SSL_new(context.get())) {
    attach();
    SSL_set_accept_state(ssl_);
}

TlsEngine::TlsEngine(const TlsContext& context, const std::string& name, std::shared_ptr<TlsSessions> sessions)
    : ssl_(SSL_new(context.get())), sessions_(std::move(sessions)) {
    attach();
    SSL_set_connect_state(ssl_);
    auto* rules = SSL_get0_param(ssl_);
    X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str()) == 1;
    if (!is_address) {
        auto asked = name;
        const bool named = X509_VERIFY_PARAM_set1_host(rules, name.data(), name.size()) == 1 &&
                           SSL_ctrl(ssl_, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, asked.data()) == 1;
        ONCEWARD_ASSERT(named);
    }
    if (sessions_ && sessions_->latest() != nullptr) {
        SSL_set_session(ssl_, sessions_->latest());
    }
    ERR_clear_error();
}

void TlsEngine::attach() {
    ONCEWARD_ASSERT(ssl_ != nullptr);
    auto* bio = BIO_new(TlsBytes::method());
    ONCEWARD_ASSERT(bio != nullptr);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_, bio, bio);
    SSL_set_app_data(ssl_, this);
}

TlsEngine::~TlsEngine() {
    // Else OpenSSL takes the session for one that must not be resumed.
    SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(ssl_);
}

/// What OpenSSL's answer to a call means.
TlsEngine::Step TlsEngine::step_of(int result) {
    switch (SSL_get_error(ssl_, result)) {
        case SSL_ERROR_NONE:
            return Step::done;
        case SSL_ERROR_WANT_READ:
            return Step::want_input;
        case SSL_ERROR_ZERO_RETURN:
            return Step::ended;
        default:
            break;
    }
    open_ = false;
    const auto reason = ERR_GET_REASON(ERR_peek_error());
    failure_ = openssl_failure();
    if (met_plain_http_) {
        out_.clear();  // an alert would only be in the way of what is said in plain
        out_at_ = 0;
        failure_ = "the peer speaks HTTP without TLS";
    }
    if (const auto verified = SSL_get_verify_result(ssl_); reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK) {
        failure_ += std::string(": ") + X509_verify_cert_error_string(verified);
    }
    return Step::failed;
}

TlsEngine::Step TlsEngine::handshake() {
    if (!failure_.empty()) {
        return Step::failed;
    }
    ERR_clear_error();
    const auto step = step_of(SSL_do_handshake(ssl_));
    open_ = step == Step::done;
    if (step == Step::failed && sessions_) {
        sessions_->forget();
    }
    return step;
}

TlsEngine::Read TlsEngine::read(std::span<char> into) {
    Read result;
    if (!failure_.empty()) {
        return {Step::failed, 0};
    }
    while (result.bytes < into.size()) {
        std::size_t count = 0;
        ERR_clear_error();
        const int got = SSL_read_ex(ssl_, into.data() + result.bytes, into.size() - result.bytes, &count);
        if (got != 1) {
            result.step = step_of(got);
            return result;
        }
        result.bytes += count;
    }
    result.step = Step::done;
    return result;
}

bool TlsEngine::write(std::string_view content) {
    if (!open_ || content.empty()) {
        return open_;
    }
    std::size_t count = 0;
    ERR_clear_error();
    const int put = SSL_write_ex(ssl_, content.data(), content.size(), &count);
    if (put != 1) {
        // The buffers take everything, so that nothing but an end of the connection is in the way.
        step_of(put);
        open_ = false;
        return false;
    }
    return true;
}

void TlsEngine::end() {
    const bool said = (SSL_get_shutdown(ssl_) & SSL_SENT_SHUTDOWN) != 0;
    if (open_ && !said) {
        ERR_clear_error();
        SSL_shutdown(ssl_);
        ERR_clear_error();
    }
}

std::span<char> TlsEngine::room(std::size_t bytes) {
    in_.erase(0, in_at_);
    in_end_ -= in_at_;
    in_at_ = 0;
    in_.resize(in_end_ + bytes);
    return {in_.data() + in_end_, bytes};
}

void TlsEngine::arrived(std::size_t bytes) {
    const bool is_first = in_at_ == in_end_ && BIO_number_read(SSL_get_rbio(ssl_)) == 0;
    if (is_first && bytes > 0) {
        // A record begins with a small number, a method or a status line with a capital letter.
        met_plain_http_ = in_[in_end_] >= 'A' && in_[in_end_] <= 'Z';
    }
    track({in_.data() + in_end_, bytes});
    in_end_ += bytes;
}

/// Follows the lengths in the records' headers.
void TlsEngine::track(std::string_view bytes) {
    while (!bytes.empty()) {
        if (record_left_ > 0) {
            const auto count = std::min(record_left_, bytes.size());
            record_left_ -= count;
            bytes.remove_prefix(count);
            continue;
        }
        header_[header_size_++] = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        if (header_size_ == header_.size()) {
            header_size_ = 0;
            record_left_ = static_cast<std::size_t>(header_[3]) << 8U | header_[4];
        }
    }
}

void TlsEngine::sent(std::size_t bytes) {
    out_at_ += bytes;
    if (out_at_ == out_.size()) {
        out_.clear();
        out_at_ = 0;
    }
}

void TlsEngine::shrink() {
    if (in_at_ == in_end_ && in_.capacity() > kept_capacity) {
        in_ = std::string{};
        in_at_ = 0;
        in_end_ = 0;
    }
    if (out_.empty() && out_.capacity() > kept_capacity) {
        out_ = std::string{};
    }
}

std::optional<std::string> TlsEngine::peer_subject() const {
    const auto* certificate = SSL_get0_peer_certificate(ssl_);
    if (certificate == nullptr) {
        return std::nullopt;
    }
    const Owned<BIO> bio(BIO_new(BIO_s_mem()));
    ONCEWARD_ASSERT(bio);
    X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
    char* text = nullptr;
    const auto size = BIO_get_mem_data(bio.get(), &text);
    return std::string(text, static_cast<std::size_t>(size));
}

bool TlsEngine::resumed() const {
    return SSL_session_reused(ssl_) == 1;
}

}  // namespace onceward::crypto
