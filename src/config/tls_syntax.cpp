#include "config/tls_syntax.hpp"

#include "config/source_file.hpp"
#include "onceward/base/file.hpp"
#include "onceward/crypto/tls_context.hpp"

namespace onceward::config {

namespace {

using crypto::TlsComplaint;

constexpr std::size_t pem_bytes_max = 1024 * 1024;

void read_pem(const Cursor& cursor, PemFile& file) {
    const auto text = as_text(cursor.node);
    if (!text || text->empty()) {
        cursor.mismatch("the path of a file in PEM");
        return;
    }
    PemFile given{(cursor.report.directory() / *text).lexically_normal().string(), {}};
    // Before it is read: a change in between is then seen as one, never missed.
    cursor.report.note_file(as_it_is(given.path));
    auto read = base::read_regular_file(given.path, pem_bytes_max);
    if (const auto* failure = std::get_if<base::FileFailure>(&read)) {
        cursor.error("the file " + shown(given.path) +
                     (*failure == base::FileFailure::too_large ? " is larger than " + std::to_string(pem_bytes_max) + " bytes"
                                                               : std::string(" can't be read: expected one in PEM")));
        return;
    }
    given.content = std::get<std::string>(std::move(read));
    if (given.content.empty()) {
        cursor.error("the file " + shown(given.path) + " is empty: expected one in PEM");
        return;
    }
    file = std::move(given);
}

Json write_pem(const PemFile& file) {
    return file.path.empty() ? Json() : Json(file.path);
}

Syntax<PemFile> pem_file() {
    return {"file", [] { return Json{{"type", "string"}}; }, read_pem, write_pem, {}};
}

Syntax<PemFile> pem_file_or_null() {
    const auto read = [](const Cursor& cursor, PemFile& file) {
        if (cursor.node.kind == Node::Kind::null) {
            file = {};
        } else {
            read_pem(cursor, file);
        }
    };
    return {"file or null", [] { return Json{{"type", Json::array({"string", "null"})}}; }, read, write_pem, {}};
}

const Table<ListenerTls>& listener_tls_keys() {
    static const Table<ListenerTls> table({
        key_of<ListenerTls>("certificate", &ListenerTls::certificate, pem_file(),
                            "The server's certificate in PEM, those that it rests on behind it.", Need::required),
        key_of<ListenerTls>("key", &ListenerTls::key, pem_file(), "Its private key in PEM, without a password.", Need::required),
        key("client_ca", &ListenerTls::client_ca, pem_file_or_null(),
            "Certificates in PEM: clients must show one that one of these has signed."),
    });
    return table;
}

std::optional<std::string> server_name_complaint(std::string_view text) {
    const bool fits = !text.empty() && text.size() <= 253 && text.find_first_of(" /:@") == std::string_view::npos;
    return fits ? std::nullopt : std::optional(shown(text) + " is not a host name: expected one such as orders.internal");
}

Syntax<std::string> server_name() {
    const auto name = text("host name", server_name_complaint);
    const auto read = [name](const Cursor& cursor, std::string& value) {
        if (cursor.node.kind == Node::Kind::null) {
            value.clear();
        } else {
            name.read(cursor, value);
        }
    };
    const auto write = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
    return {"host name or null", [] { return Json{{"type", Json::array({"string", "null"})}}; }, read, write, {}};
}

const Table<UpstreamTls>& upstream_tls_keys() {
    static const Table<UpstreamTls> table({
        key("ca", &UpstreamTls::ca, pem_file_or_null(),
            "Certificates in PEM that the service's must rest on; null: those that the system trusts."),
        key("certificate", &UpstreamTls::certificate, pem_file_or_null(),
            "Certificate in PEM that the service is shown, where it asks for one."),
        key("key", &UpstreamTls::key, pem_file_or_null(), "Its private key in PEM, without a password."),
        key("server_name", &UpstreamTls::server_name, server_name(),
            "Name that the service's certificate must be for, and that is asked for (SNI); null: the url's host."),
        key("verify", &UpstreamTls::verify, boolean(), "Whether the service's certificate is looked at."),
    });
    return table;
}

/// Where the finding belongs; the place of the mapping where the key was not given.
Cursor place_of(const Cursor& cursor, std::string_view key) {
    const auto* member = cursor.node.find(key);
    return member == nullptr ? cursor : cursor.member(*member);
}

void tell(const Cursor& cursor, const TlsComplaint& complaint, std::string_view ca_key) {
    const auto key = complaint.about == TlsComplaint::About::certificate ? "certificate"
                     : complaint.about == TlsComplaint::About::key       ? "key"
                                                                         : ca_key;
    const auto place = place_of(cursor, key);
    const auto path = as_text(place.node);
    place.error(path ? "the file " + shown(*path) + " " + complaint.message : complaint.message);
}

void warn_of_validity(const Cursor& cursor, const PemFile& certificate) {
    if (const auto doubt = crypto::validity_complaint(certificate.content); !doubt.empty()) {
        place_of(cursor, "certificate").warning(doubt + "; who looks at it refuses it");
    }
}

void check_listener(const Cursor& cursor, const ListenerTls& tls) {
    const auto made = crypto::make_server_context(tls);
    if (const auto* complaint = std::get_if<TlsComplaint>(&made)) {
        tell(cursor, *complaint, "client_ca");
    } else {
        warn_of_validity(cursor, tls.certificate);
    }
}

void check_upstream(const Cursor& cursor, const UpstreamTls& tls) {
    if (tls.certificate.path.empty() != tls.key.path.empty()) {
        cursor.error("a certificate and its key go together: expected both or none");
        return;
    }
    const auto made = crypto::make_client_context(tls);
    if (const auto* complaint = std::get_if<TlsComplaint>(&made)) {
        tell(cursor, *complaint, "ca");
        return;
    }
    warn_of_validity(cursor, tls.certificate);
    if (!tls.verify) {
        place_of(cursor, "verify").warning("the service may be anybody: its certificate is not looked at");
    }
}

}  // namespace

Syntax<std::optional<ListenerTls>> listener_tls() {
    const auto mapping = section(listener_tls_keys);
    const auto read = [mapping](const Cursor& cursor, std::optional<ListenerTls>& value) {
        if (cursor.node.kind == Node::Kind::null) {
            value.reset();
            return;
        }
        const auto errors = cursor.report.error_count();
        ListenerTls given;
        mapping.read(cursor, given);
        if (cursor.report.error_count() == errors) {
            check_listener(cursor, given);
        }
        value = std::move(given);
    };
    const auto schema = [mapping] { return Json{{"anyOf", Json::array({mapping.schema(), Json{{"type", "null"}}})}}; };
    const auto write = [mapping](const std::optional<ListenerTls>& value) { return value ? mapping.write(*value) : Json(); };
    return {"mapping or null", schema, read, write, mapping.keys};
}

Syntax<UpstreamTls> upstream_tls() {
    auto syntax = section(upstream_tls_keys);
    syntax.read = [mapping = syntax.read](const Cursor& cursor, UpstreamTls& value) {
        const auto errors = cursor.report.error_count();
        mapping(cursor, value);
        if (cursor.report.error_count() == errors) {
            check_upstream(cursor, value);
        }
    };
    return syntax;
}

}  // namespace onceward::config
