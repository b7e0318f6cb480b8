#include "cli/endpoint.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <filesystem>
#include <fstream>

using namespace onceward;
using namespace onceward::cli;

namespace {

/// A configuration file that is gone with the test.
struct File {
    explicit File(const std::string& first_lines) {
        std::ofstream(path) << first_lines << "upstream: http://127.0.0.1:3000\nroutes: [{path: /api/orders}]\n";
    }

    test::TemporaryFolder folder;
    std::string path = folder.file("onceward.yaml");
};

std::string address_of(const std::variant<Endpoint, NoEndpoint>& found) {
    const auto* endpoint = std::get_if<Endpoint>(&found);
    return endpoint != nullptr ? config::to_text(endpoint->address) : "error: " + std::get<NoEndpoint>(found).what;
}

Invocation with_file(const std::string& file) {
    Invocation invocation;
    invocation.file = file;
    return invocation;
}

}  // namespace

TEST_CASE("an address is a url, host and port, or a unix path") {
    const auto text = [](const char* url) {
        const auto parsed = parse_endpoint(url);
        const auto* address = std::get_if<config::Address>(&parsed);
        return address != nullptr ? config::to_text(*address) : "refused";
    };
    CHECK(text("http://127.0.0.1:9901") == "127.0.0.1:9901");
    CHECK(text("http://localhost:9901/") == "localhost:9901");
    CHECK(text("[::1]:9901") == "[::1]:9901");
    CHECK(text("unix:/run/a.sock") == "unix:/run/a.sock");
    for (const auto* url : {"", "https://h:1", "http://h", "http://h:1/path", "h:99999", "ftp://h:1"}) {
        CAPTURE(url);
        CHECK(text(url) == "refused");
    }
}

TEST_CASE("without a word the default listeners are asked") {
    CHECK(address_of(admin_endpoint({})) == "127.0.0.1:9901");
    CHECK(address_of(health_endpoint({})) == "127.0.0.1:9900");
}

TEST_CASE("the configuration says where, and a listener of every address is reached over loopback") {
    const File file("admin: {address: 127.0.0.1:7001}\nhealth: 0.0.0.0:7002\n");
    CHECK(address_of(admin_endpoint(with_file(file.path))) == "127.0.0.1:7001");
    CHECK(address_of(health_endpoint(with_file(file.path))) == "127.0.0.1:7002");
    CHECK(config::to_text(reachable({"::", 1, {}})) == "[::1]:1");
}

TEST_CASE("where health is off the admin listener is asked") {
    const File file("admin: 127.0.0.1:7001\nhealth: off\n");
    CHECK(address_of(health_endpoint(with_file(file.path))) == "127.0.0.1:7001");
}

TEST_CASE("an admin listener that is off is told, with what to write") {
    const File file("admin: off\nhealth: off\n");
    CHECK(address_of(admin_endpoint(with_file(file.path))).find("admin: off. Give it an address") != std::string::npos);
    CHECK(address_of(health_endpoint(with_file(file.path))).find("nothing answers /readyz") != std::string::npos);
    CHECK(address_of(admin_endpoint(with_file("/nowhere.yaml"))).find("can't be read") != std::string::npos);
}
