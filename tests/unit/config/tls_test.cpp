#include "catch.hpp"
#include "certificates.hpp"
#include "loading.hpp"
#include "onceward/config/reload.hpp"
#include "temporary_folder.hpp"

using namespace onceward;
using namespace onceward::config;
using test::Certificate;

namespace {

/// A folder with a configuration and files in PEM.
struct Folder {
    test::TemporaryFolder folder;
    Certificate authority = Certificate::authority("the authority");
    Certificate identity = authority.issue({"orders.test", "DNS:orders.test"});

    Folder() {
        write("c.pem", identity.pem());
        write("k.pem", identity.key_pem());
        write("ca.pem", authority.pem());
    }
    void write(const std::string& name, const std::string& text) const { folder.write(name, text); }
    [[nodiscard]] Loaded load(const std::string& text) const { return load_text(text, folder.file("c.yaml")); }
    /// What is told, without the folder, a line each.
    [[nodiscard]] std::string told(const std::vector<Finding>& findings) const {
        std::string out;
        for (const auto& finding : findings) {
            auto text = to_text(finding);
            for (auto at = text.find(folder.path().string() + "/"); at != std::string::npos;
                 at = text.find(folder.path().string() + "/")) {
                text.erase(at, folder.path().string().size() + 1);
            }
            out += text + "\n";
        }
        return out;
    }
    [[nodiscard]] std::string errors(const std::string& text) const { return told(load(text).errors); }
};

std::string listening(const std::string& tls) {
    return smallest + "listen: {address: '127.0.0.1:1', tls: " + tls + "}\n";
}

std::string over_tls(const std::string& tls) {
    return "upstream: {url: 'https://orders.test', tls: " + tls + "}\nstore: {url: 'memory:'}\nroutes:\n  - path: /api/orders\n";
}

const std::string all_three = "{certificate: c.pem, key: k.pem, client_ca: ca.pem}";

}  // namespace

TEST_CASE("a listener with a certificate is read with its files and written back with their paths") {
    const Folder folder;
    const auto loaded = folder.load(listening(all_three));
    REQUIRE(folder.told(loaded.errors).empty());
    CHECK(folder.told(loaded.warnings).empty());
    const auto& tls = loaded.options.listen.at(0).tls;
    REQUIRE(tls);
    CHECK(tls->certificate.path == folder.folder.file("c.pem"));
    CHECK(tls->certificate.content == folder.identity.pem());
    CHECK(tls->key.content == folder.identity.key_pem());
    CHECK(tls->client_ca.content == folder.authority.pem());
    CHECK(loaded.files.size() == 3);
    const auto effective = effective_yaml(loaded.options);
    CHECK(effective.find("PRIVATE") == std::string::npos);
    const auto again = folder.load(effective);
    REQUIRE(folder.told(again.errors).empty());
    CHECK(again.options.listen.at(0).tls == tls);
    CHECK_FALSE(folder.load(listening("null")).options.listen.at(0).tls);
}

TEST_CASE("files that can't be used are told with their place") {
    const Folder folder;
    folder.write("locked.pem", folder.identity.encrypted_key_pem());
    folder.write("other.pem", folder.authority.key_pem());
    folder.write("empty.pem", "");
    struct Row {
        std::string tls;
        std::string expected;
    };
    const auto row = GENERATE(values<Row>({
        {"{certificate: c.pem}", "c.yaml:6:39: listen.tls.key: missing: expected file\n"},
        {"{certificate: c.pem, key: other.pem}",
         "c.yaml:6:65: listen.tls.key: the file \"other.pem\" is not the key of the certificate: expected the one that it was "
         "made "
         "for\n"},
        {"{certificate: c.pem, key: locked.pem}",
         "c.yaml:6:65: listen.tls.key: the file \"locked.pem\" is encrypted: expected a private key without a password\n"},
        {"{certificate: k.pem, key: k.pem}",
         "c.yaml:6:53: listen.tls.certificate: the file \"k.pem\" holds no certificate, or a broken one: expected PEM, the "
         "server's "
         "own first\n"},
        {"{certificate: empty.pem, key: k.pem}",
         "c.yaml:6:53: listen.tls.certificate: the file \"empty.pem\" is empty: expected one in PEM\n"},
        {"{certificate: none.pem, key: k.pem}",
         "c.yaml:6:53: listen.tls.certificate: the file \"none.pem\" can't be read: expected one in PEM\n"},
        {"{certificate: c.pem, key: k.pem, client_ca: k.pem}",
         "c.yaml:6:83: listen.tls.client_ca: the file \"k.pem\" holds no certificate, or a broken one: expected those of "
         "authorities, in PEM\n"},
        {"{certificate: c.pem, key: k.pem, ciphers: x}",
         "c.yaml:6:72: listen.tls.ciphers: unknown key \"ciphers\": expected certificate, key or client_ca\n"},
        {"on", "c.yaml:6:39: listen.tls: expected a mapping of keys to values, found \"on\"\n"},
    }));
    CAPTURE(row.tls);
    CHECK(folder.errors(listening(row.tls)) == row.expected);
}

TEST_CASE("a certificate that is over is told and used") {
    const Folder folder;
    const auto over = folder.authority.issue({"orders.test", "", -7200, -3600});
    folder.write("over.pem", over.pem());
    folder.write("over.key", over.key_pem());
    const auto loaded = folder.load(listening("{certificate: over.pem, key: over.key}"));
    CHECK(folder.told(loaded.errors).empty());
    CHECK(folder.told(loaded.warnings)
              .starts_with("c.yaml:6:53: listen.tls.certificate: the certificate has expired: it was valid until "));
}

TEST_CASE("an upstream by https") {
    const Folder folder;
    const auto loaded = folder.load(over_tls("{ca: ca.pem, certificate: c.pem, key: k.pem, server_name: o.test}"));
    REQUIRE(folder.told(loaded.errors).empty());
    const auto& upstream = loaded.options.upstream;
    CHECK(upstream.secure);
    CHECK(to_text(upstream.address) == "orders.test:443");
    CHECK(upstream.tls.ca.content == folder.authority.pem());
    CHECK(upstream.tls.server_name == "o.test");
    CHECK(upstream.tls.verify);
    CHECK(folder.load(effective_yaml(loaded.options)).options.upstream.tls == upstream.tls);
    const auto plain = folder.load("upstream: https://orders.test:8443\nroutes:\n  - path: /a\n").options.upstream;
    CHECK(plain.secure);
    CHECK(plain.tls == UpstreamTls{});
    CHECK_FALSE(folder.load(smallest).options.upstream.secure);
}

TEST_CASE("what an upstream by https can't be") {
    const Folder folder;
    CHECK(folder.errors(over_tls("{certificate: c.pem}")) ==
          "c.yaml:1:45: upstream.tls: a certificate and its key go together: expected both or none\n");
    CHECK(folder.errors(over_tls("{ca: k.pem}"))
              .starts_with("c.yaml:1:50: upstream.tls.ca: the file \"k.pem\" holds no certificate"));
    CHECK(folder.errors(over_tls("{server_name: 'a b'}")).find("is not a host name") != std::string::npos);
    CHECK(folder.errors("upstream: {url: 'http://a:1', tls: {verify: false}}\nroutes:\n  - path: /a\n") ==
          "c.yaml:1:36: upstream.tls: the service is not spoken to by TLS: expected a url that begins with https://\n");
    const auto blind = folder.load(over_tls("{verify: false}"));
    CHECK(folder.told(blind.errors).empty());
    CHECK(folder.told(blind.warnings) ==
          "c.yaml:1:54: upstream.tls.verify: the service may be anybody: its certificate is not looked at\n");
}

TEST_CASE("tls:subject needs clients that show a certificate") {
    const Folder folder;
    const std::string by_subject = "    caller: ['tls:subject']\n";
    CHECK(folder.errors(smallest + by_subject).find("no client has to show a certificate") != std::string::npos);
    CHECK_FALSE(folder.errors(smallest + by_subject + "listen: {address: '127.0.0.1:1', tls: {certificate: c.pem, key: k.pem}}\n")
                    .empty());
    const auto one = folder.load(smallest + by_subject + "listen: {address: '127.0.0.1:1', tls: " + all_three + "}\n");
    CHECK(folder.told(one.errors).empty());
    CHECK(folder.told(one.warnings).empty());
    const auto two =
        folder.load(smallest + by_subject + "listen: ['127.0.0.1:2', {address: '127.0.0.1:1', tls: " + all_three + "}]\n");
    CHECK(folder.told(two.errors).empty());
    CHECK(folder.told(two.warnings).find("clients of 127.0.0.1:2 have none and count as one") != std::string::npos);
}

TEST_CASE("another certificate is taken while the process runs; another listener is not") {
    const Folder folder;
    const auto running = folder.load(listening("{certificate: c.pem, key: k.pem}")).options;
    const auto other = folder.authority.issue({"orders.test", "DNS:orders.test"});
    folder.write("c.pem", other.pem());
    folder.write("k.pem", other.key_pem());
    const auto renewed = folder.load(listening("{certificate: c.pem, key: k.pem}")).options;
    auto change = compare(running, renewed);
    CHECK(change.live == std::vector<std::string>{"listen[127.0.0.1:1].tls"});
    CHECK(change.at_start.empty());
    CHECK(taken_live(running, renewed).listen.at(0).tls->certificate.content == other.pem());

    const auto with_clients = folder.load(listening(all_three)).options;
    CHECK(compare(running, with_clients).live == std::vector<std::string>{"listen[127.0.0.1:1].tls"});

    const auto plain = folder.load(listening("null")).options;
    change = compare(running, plain);
    CHECK(change.live.empty());
    CHECK(change.at_start == std::vector<std::string>{"listen"});
    CHECK(taken_live(running, plain).listen.at(0).tls == running.listen.at(0).tls);
    CHECK(compare(running, folder.load(listening("{certificate: c.pem, key: k.pem}, proxy_protocol: true")).options).at_start ==
          std::vector<std::string>{"listen"});
}

TEST_CASE("another authority of the upstream is taken while the process runs") {
    const Folder folder;
    const auto running = folder.load(over_tls("{ca: ca.pem}")).options;
    folder.write("ca.pem", Certificate::authority("another").pem());
    const auto renewed = folder.load(over_tls("{ca: ca.pem}")).options;
    CHECK(compare(running, renewed).live == std::vector<std::string>{"upstream.tls (files)"});
    CHECK(compare(running, folder.load(over_tls("{ca: ca.pem, verify: false}")).options).live ==
          std::vector<std::string>{"upstream.tls.verify"});
    CHECK(compare(running, running).same());
}

TEST_CASE("a route by tls:subject is not taken before there is a listener for it") {
    const Folder folder;
    const auto running = folder.load(listening("null")).options;
    const auto next =
        folder.load(smallest + "    caller: ['tls:subject']\nlisten: {address: '127.0.0.1:1', tls: " + all_three + "}\n").options;
    const auto change = compare(running, next);
    CHECK(change.at_start == std::vector<std::string>{"listen"});
    REQUIRE(change.refused.size() == 1);
    CHECK(change.refused[0].find("only there after a restart") != std::string::npos);
}
