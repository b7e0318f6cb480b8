#include "catch.hpp"
#include "certificates.hpp"
#include "onceward/crypto/tls_engine.hpp"

#include <openssl/ssl.h>

#include <string>

using namespace onceward;
using crypto::TlsEngine;
using Step = TlsEngine::Step;
using test::Certificate;

namespace {

const Certificate& authority() {
    static const auto made = Certificate::authority("the authority");
    return made;
}
const Certificate& server() {
    static const auto made = authority().issue({"orders.test", "DNS:orders.test,DNS:*.shop.test,IP:192.0.2.1"});
    return made;
}

config::ListenerTls listener(const Certificate& identity, const std::string& client_ca = {}) {
    return {{"/c.pem", identity.pem()}, {"/k.pem", identity.key_pem()}, {client_ca.empty() ? "" : "/ca.pem", client_ca}};
}
config::UpstreamTls upstream(const Certificate* ca, const Certificate* identity = nullptr) {
    config::UpstreamTls tls;
    if (ca != nullptr) {
        tls.ca = {"/ca.pem", ca->pem()};
    }
    if (identity != nullptr) {
        tls.certificate = {"/c.pem", identity->pem()};
        tls.key = {"/k.pem", identity->key_pem()};
    }
    return tls;
}

crypto::TlsContextPtr server_context(const config::ListenerTls& tls) {
    return std::get<crypto::TlsContextPtr>(crypto::make_server_context(tls));
}
crypto::TlsContextPtr client_context(const config::UpstreamTls& tls) {
    return std::get<crypto::TlsContextPtr>(crypto::make_client_context(tls));
}

/// Carries what one end has to say to the other, in pieces of `at_once` bytes.
bool carry(TlsEngine& from, TlsEngine& to, std::size_t at_once) {
    const bool some = !from.outgoing().empty();
    while (!from.outgoing().empty()) {
        const auto piece = from.outgoing().substr(0, at_once);
        const auto room = to.room(piece.size() + 3);
        piece.copy(room.data(), piece.size());
        to.arrived(piece.size());
        from.sent(piece.size());
    }
    return some;
}

struct Ends {
    TlsEngine client;
    TlsEngine server;
    Step client_step = Step::want_input;
    Step server_step = Step::want_input;

    Ends(const crypto::TlsContextPtr& client_side, const crypto::TlsContextPtr& server_side, const std::string& name,
         std::shared_ptr<crypto::TlsSessions> sessions = nullptr)
        : client(*client_side, name, std::move(sessions)), server(*server_side) {}

    void shake(std::size_t at_once = 10'000) {
        bool going = true;
        while (going) {
            if (client_step == Step::want_input) {
                client_step = client.handshake();
            }
            going = carry(client, server, at_once);
            if (server_step == Step::want_input) {
                server_step = server.handshake();
            }
            going = carry(server, client, at_once) || going;
        }
    }
    bool agreed() {
        shake();
        return client_step == Step::done && server_step == Step::done;
    }
};

bool contains(const std::string& text, std::string_view part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

std::string all_of(TlsEngine& engine, Step& step) {
    std::string out(100'000, '\0');
    const auto read = engine.read(out);
    step = read.step;
    out.resize(read.bytes);
    return out;
}
std::string all_of(TlsEngine& engine) {
    Step step{};
    return all_of(engine, step);
}

}  // namespace

TEST_CASE("two ends agree and carry content both ways, a byte at a time too") {
    const std::size_t at_once = GENERATE(1U, 7U, 10'000U);
    Ends ends(client_context(upstream(&authority())), server_context(listener(server())), "orders.test");
    ends.shake(at_once);
    REQUIRE(ends.client_step == Step::done);
    REQUIRE(ends.server_step == Step::done);
    const std::string content(50'000, 'x');
    REQUIRE(ends.client.write("GET / "));
    REQUIRE(ends.client.write(content));
    carry(ends.client, ends.server, at_once);
    CHECK(all_of(ends.server) == "GET / " + content);
    REQUIRE(ends.server.write("200"));
    carry(ends.server, ends.client, at_once);
    CHECK(all_of(ends.client) == "200");
    CHECK_FALSE(ends.server.peer_subject());
    CHECK(ends.client.peer_subject() == "CN=orders.test");
}

TEST_CASE("an end is one that the peer has said, behind its content; it may still be written to") {
    Ends ends(client_context(upstream(&authority())), server_context(listener(server())), "orders.test");
    REQUIRE(ends.agreed());
    REQUIRE(ends.server.write("last"));
    ends.server.end();
    ends.server.end();
    carry(ends.server, ends.client, 100);
    Step step{};
    CHECK(all_of(ends.client, step) == "last");
    CHECK(step == Step::ended);
    REQUIRE(ends.client.write("thanks"));
    carry(ends.client, ends.server, 100);
    CHECK(all_of(ends.server, step) == "thanks");
    CHECK(step == Step::want_input);
}

TEST_CASE("a record that is cut anywhere is no content, and is known to be one") {
    Ends ends(client_context(upstream(&authority())), server_context(listener(server())), "orders.test");
    REQUIRE(ends.agreed());
    all_of(ends.client);
    CHECK(ends.client.at_record_end());
    REQUIRE(ends.server.write("content"));
    while (ends.server.outgoing().size() > 1) {
        const auto room = ends.client.room(1);
        room[0] = ends.server.outgoing().front();
        ends.client.arrived(1);
        ends.server.sent(1);
        CHECK(all_of(ends.client).empty());
        CHECK_FALSE(ends.client.at_record_end());
    }
    carry(ends.server, ends.client, 1);
    CHECK(ends.client.at_record_end());
    CHECK(all_of(ends.client) == "content");
}

TEST_CASE("a byte that was changed on the way ends the connection") {
    Ends ends(client_context(upstream(&authority())), server_context(listener(server())), "orders.test");
    REQUIRE(ends.agreed());
    all_of(ends.client);
    REQUIRE(ends.server.write("content"));
    std::string bytes(ends.server.outgoing());
    bytes.back() ^= 1;
    const auto room = ends.client.room(bytes.size());
    bytes.copy(room.data(), bytes.size());
    ends.client.arrived(bytes.size());
    Step step{};
    CHECK(all_of(ends.client, step).empty());
    CHECK(step == Step::failed);
    CHECK_FALSE(ends.client.failure().empty());
    CHECK_FALSE(ends.client.write("more"));
}

TEST_CASE("a service is who its certificate says, or nothing is sent to it") {
    struct Row {
        std::string name;
        const Certificate* ca;
        std::string failure;
    };
    static const auto other = Certificate::authority("another");
    const auto row = GENERATE(values<Row>({
        {"orders.test", &authority(), ""},
        {"ORDERS.test", &authority(), ""},
        {"eu.shop.test", &authority(), ""},
        {"192.0.2.1", &authority(), ""},
        {"a.eu.shop.test", &authority(), "hostname mismatch"},
        {"shop.test", &authority(), "hostname mismatch"},
        {"192.0.2.2", &authority(), "IP address mismatch"},
        {"payments.test", &authority(), "hostname mismatch"},
        {"orders.test", &other, "unable to get local issuer certificate"},
        {"orders.test", nullptr, "unable to get local issuer certificate"},
    }));
    CAPTURE(row.name, row.failure);
    Ends ends(client_context(upstream(row.ca)), server_context(listener(server())), row.name);
    CHECK(ends.agreed() == row.failure.empty());
    CHECK(contains(ends.client.failure(), row.failure));
    if (!row.failure.empty()) {
        CHECK_FALSE(ends.client.write("secret"));
        CHECK(ends.server_step == Step::failed);
    }
}

TEST_CASE("a certificate that is over, or not looked at") {
    const auto over = authority().issue({"orders.test", "DNS:orders.test", -7200, -3600});
    auto rules = upstream(&authority());
    {
        Ends ends(client_context(rules), server_context(listener(over)), "orders.test");
        CHECK_FALSE(ends.agreed());
        CHECK(contains(ends.client.failure(), "certificate has expired"));
    }
    rules.verify = false;
    Ends ends(client_context(rules), server_context(listener(over)), "any.test");
    CHECK(ends.agreed());
}

TEST_CASE("a client that has to show a certificate is known by its subject") {
    static const auto clients = Certificate::authority("clients");
    const auto rules = server_context(listener(server(), clients.pem()));
    const auto outcome = [&](const Certificate* identity) {
        Ends ends(client_context(upstream(&authority(), identity)), rules, "orders.test");
        ends.shake();
        return ends.server_step == Step::done ? ends.server.peer_subject().value_or("none") : ends.server.failure();
    };
    const auto alice = clients.issue({"alice"});
    const auto odd = clients.issue({"a,b+\"c\"\xc3\xa9"});
    const auto nameless = clients.issue({""});
    const auto stranger = authority().issue({"alice"});
    const auto over = clients.issue({"alice", "", -7200, -3600});
    CHECK(outcome(&alice) == "CN=alice");
    CHECK(outcome(&odd) == "CN=a\\,b\\+\\\"c\\\"\\C3\\A9");
    CHECK(outcome(&nameless).empty());
    CHECK(contains(outcome(nullptr), "peer did not return a certificate"));
    CHECK(contains(outcome(&stranger), "certificate verify failed"));
    CHECK(contains(outcome(&over), "certificate has expired"));
}

TEST_CASE("a further connection goes on with the session of one before, and the client is still known") {
    static const auto clients = Certificate::authority("clients");
    const auto alice = clients.issue({"alice"});
    const auto server_side = server_context(listener(server(), clients.pem()));
    const auto client_side = client_context(upstream(&authority(), &alice));
    const auto sessions = std::make_shared<crypto::TlsSessions>();
    for (const bool resumed : {false, true, true}) {
        Ends ends(client_side, server_side, "orders.test", sessions);
        REQUIRE(ends.agreed());
        CHECK(all_of(ends.client).empty());  // the tickets
        CHECK(ends.client.at_record_end());
        CHECK(ends.client.resumed() == resumed);
        CHECK(ends.server.resumed() == resumed);
        CHECK(ends.server.peer_subject() == "CN=alice");
    }
    Ends elsewhere(client_side, server_context(listener(server(), clients.pem())), "orders.test", sessions);
    CHECK(elsewhere.agreed());
    CHECK_FALSE(elsewhere.client.resumed());
}

TEST_CASE("older versions, other protocols and plain HTTP are refused") {
    const auto rules = server_context(listener(server()));
    const auto client = client_context(upstream(&authority()));
    SECTION("TLS 1.1") {
        SSL_CTX_set_min_proto_version(client->get(), TLS1_VERSION);
        SSL_CTX_set_max_proto_version(client->get(), TLS1_1_VERSION);
        SSL_CTX_set_cipher_list(client->get(), "ALL:@SECLEVEL=0");
        Ends ends(client, rules, "orders.test");
        CHECK_FALSE(ends.agreed());
        CHECK(contains(ends.server.failure(), "unsupported protocol"));
    }
    SECTION("TLS 1.2") {
        SSL_CTX_set_max_proto_version(client->get(), TLS1_2_VERSION);
        CHECK(Ends(client, rules, "orders.test").agreed());
    }
    SECTION("HTTP/2 alone") {
        SSL_CTX_set_alpn_protos(client->get(), reinterpret_cast<const unsigned char*>("\x02h2"), 3);
        Ends ends(client, rules, "orders.test");
        CHECK_FALSE(ends.agreed());
    }
    SECTION("HTTP/2 rather than 1.1") {
        SSL_CTX_set_alpn_protos(client->get(), reinterpret_cast<const unsigned char*>("\x02h2\x08http/1.1"), 12);
        CHECK(Ends(client, rules, "orders.test").agreed());
    }
    SECTION("plain HTTP") {
        TlsEngine engine(*rules);
        const std::string text = GENERATE("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PATCH /api HTTP/1.1\r\n\r\n");
        const auto room = engine.room(text.size());
        text.copy(room.data(), text.size());
        engine.arrived(text.size());
        CHECK(engine.handshake() == Step::failed);
        CHECK(engine.met_plain_http());
        CHECK(engine.outgoing().empty());
    }
}

TEST_CASE("files that no context can be made of are told apart") {
    using About = crypto::TlsComplaint::About;
    const auto complaint = [](const config::ListenerTls& tls) {
        const auto made = crypto::make_server_context(tls);
        const auto* found = std::get_if<crypto::TlsComplaint>(&made);
        REQUIRE(found != nullptr);
        return *found;
    };
    auto tls = listener(server());
    tls.key.content = authority().key_pem();
    CHECK(complaint(tls).about == About::key);
    CHECK(contains(complaint(tls).message, "not the key of the certificate"));
    tls.key.content = server().encrypted_key_pem();
    CHECK(contains(complaint(tls).message, "without a password"));
    tls.key.content = server().pem();
    CHECK(contains(complaint(tls).message, "holds no private key"));
    tls = listener(server());
    tls.certificate.content = server().key_pem();
    CHECK(complaint(tls).about == About::certificate);
    tls.certificate.content = server().pem() + server().pem().substr(0, 200) + "\n-----END CERTIFICATE-----\n";
    CHECK(complaint(tls).about == About::certificate);
    tls = listener(server(), "no certificate");
    CHECK(complaint(tls).about == About::ca);
}

TEST_CASE("whether a certificate is valid now is a sentence with its date") {
    CHECK(crypto::validity_complaint(server().pem()).empty());
    CHECK(crypto::validity_complaint("nothing").empty());
    const auto over = crypto::validity_complaint(authority().issue({"a", "", -7200, -3600}).pem());
    CHECK(contains(over, "has expired: it was valid until"));
    CHECK(contains(over, "GMT"));
    const auto early = crypto::validity_complaint(authority().issue({"a", "", 3600, 7200}).pem());
    CHECK(contains(early, "not valid yet"));
}
