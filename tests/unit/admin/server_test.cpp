#include "onceward/admin/server.hpp"

#include "blocking_client.hpp"
#include "catch.hpp"
#include "onceward/base/hex.hpp"
#include "onceward/guard/record_machine.hpp"
#include "onceward/telemetry/log.hpp"
#include "temporary_folder.hpp"

#include <boost/asio/post.hpp>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

using namespace onceward;
using namespace onceward::admin;
using namespace onceward::tests;
using nlohmann::json;

namespace {

constexpr StoreTime clock_now{std::chrono::seconds{1'769'860'800}};

class FakeHealth final : public health::HealthSource {
public:
    bool ready() override { return true; }
    std::string readiness_text(health::Detail) override { return "ok\n"; }
    std::string metrics() override { return "onceward_fenced_total 0\n"; }
};

/// One record, which obeys the law.
class OneRecord final : public store::Store {
public:
    Task<Result<guard::ClaimReply>> claim(const guard::ClaimRequest&, Deadline) override { co_return store::StoreErrc::rejected; }
    Task<Result<guard::CommandReply>> apply(const guard::Command&, Deadline) override { co_return store::StoreErrc::rejected; }
    Task<Result<guard::PieceVerdict>> append(const guard::ContentPiece&, Deadline) override {
        co_return store::StoreErrc::rejected;
    }
    Task<Result<std::string>> read_piece(const store::PieceLookup&, Deadline) override { co_return store::StoreErrc::rejected; }
    Task<Result<void>> discard(const store::PieceLookup&, Deadline) override { co_return store::StoreErrc::rejected; }
    Task<Result<void>> ping(Deadline) override { co_return Result<void>(); }
    Task<Result<std::string>> replace_rules(const std::string&, Deadline) override { co_return std::string{}; }
    Task<Result<store::WorkerLease>> lease_worker(const store::WorkerLeaseRequest&, Deadline) override {
        co_return store::StoreErrc::rejected;
    }
    Task<Result<guard::OperatorReply>> operate(const guard::OperatorCommand& command, Deadline) override {
        if (failure) {
            co_return failure;
        }
        const std::optional<guard::Record> stored = command.id == id ? std::optional(record) : std::nullopt;
        const auto step = guard::operate(stored, command, clock_now);
        if (step.write) {
            record = *step.write;
        }
        co_return step.reply;
    }
    Task<Result<std::optional<store::FoundRecord>>> find(const store::RecordLookup& lookup, Deadline) override {
        if (failure) {
            co_return failure;
        }
        if (lookup.id != id) {
            co_return std::optional<store::FoundRecord>();
        }
        co_return std::optional(store::FoundRecord{id, record});
    }
    Task<Result<store::RecordPage>> list(const store::RecordQuery& query, Deadline) override {
        if (!query.cursor.empty() && query.cursor != "second") {
            co_return store::StoreErrc::bad_cursor;
        }
        store::RecordPage page;
        if (query.cursor.empty()) {
            page.next_cursor = "second";
        } else if (!query.state || *query.state == record.state) {
            page.records.push_back({id, record.route, record});
        }
        co_return page;
    }
    [[nodiscard]] StoreTime now() const override { return clock_now; }
    [[nodiscard]] store::StoreInfo info() const override { return {}; }
    void watch(const RecordId&) override {}
    void unwatch(const RecordId&) override {}

    RecordId id;
    guard::Record record;
    boost::system::error_code failure;
};

class FakeControl final : public Control {
public:
    const config::Options& running() override { return options; }
    Task<ReloadReport> reload() override { co_return report; }
    void count_unknown(guard::UnknownChange /*change*/) override {}

    config::Options options;
    ReloadReport report;
};

/// An admin listener on a loop of its own thread.
class Scene {
public:
    explicit Scene(config::Admin admin = {{"127.0.0.1", 0, {}}, {}}) {
        control.options.admin = admin;
        auto& route = control.options.routes.emplace_back();
        route.name = "orders";
        route.path = "/api/orders";
        records.id.bytes[0] = 0x9f;
        records.record.state = guard::RecordState::unknown;
        records.record.route = "orders";
        records.record.fence = Fence{17};
        records.record.attempt = Attempt{1};
        records.record.evidence = "lease";
        records.record.keep_until = clock_now + std::chrono::hours{1};
        records.record.forget_at = clock_now + std::chrono::hours{2};
        server = std::make_unique<AdminServer>(loop, admin, AdminParts{health, control, records});
        server->start();
        port = server->port();
        thread = std::thread([this] { loop.run(); });
    }
    ~Scene() {
        asio::post(loop, [this] { server->stop(); });
        thread.join();
        telemetry::set_level(level);
    }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    std::string send(const std::string& start, const std::string& fields = {}, const std::string& body = {}) {
        TcpClient client(local(port));
        const auto length = body.empty()
                                ? std::string{}
                                : "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
        client.send(start + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port) + "\r\n" + fields + length +
                    "Connection: close\r\n\r\n" + body);
        return client.response(start.substr(0, 5) == "HEAD ");
    }

    FakeHealth health;
    FakeControl control;
    OneRecord records;
    asio::io_context loop;
    std::unique_ptr<AdminServer> server;
    std::uint16_t port = 0;
    std::thread thread;
    const config::LogLevel level = telemetry::level();
};

int status_of(const std::string& response) {
    return std::stoi(response.substr(9, 3));
}
json json_of(const std::string& response) {
    return json::parse(content(response));
}
std::string code_of(const std::string& response) {
    return has_line(response, "Content-Type: application/problem+json") ? json_of(response)["code"].get<std::string>()
                                                                        : "no problem";
}

const std::string id_text = "9f" + std::string(62, '0');

struct TokenFile {
    TokenFile() { write("first\n"); }
    ~TokenFile() { std::filesystem::remove(path); }
    TokenFile(const TokenFile&) = delete;
    TokenFile& operator=(const TokenFile&) = delete;
    void write(const std::string& text) const { std::ofstream(path, std::ios::trunc) << text; }
    std::string path = (std::filesystem::temp_directory_path() / ("onceward-admin-token-" + std::to_string(::getpid()))).string();
};

}  // namespace

TEST_CASE("the admin listener has the pages of the health listener and the configuration") {
    Scene scene;
    CHECK(content(scene.send("GET /livez")) == "ok");
    CHECK(content(scene.send("GET /readyz")) == "ok\n");
    CHECK(content(scene.send("GET /metrics")) == "onceward_fenced_total 0\n");
    const auto config = scene.send("GET /config");
    CHECK(has_line(config, "Content-Type: application/yaml"));
    CHECK(content(config).find("name: orders") != std::string::npos);
}

TEST_CASE("records are listed page by page until the limit is reached, and found by the first digits of their id") {
    Scene scene;
    const auto all = json_of(scene.send("GET /records"));
    REQUIRE(all["records"].size() == 1);
    CHECK(all["records"][0]["id"] == id_text);
    CHECK(all["records"][0]["fence"] == 17);
    CHECK(all["next_cursor"].is_null());
    CHECK(json_of(scene.send("GET /records?state=UNKNOWN&id=9f00"))["records"].size() == 1);
    CHECK(json_of(scene.send("GET /records?id=9f01"))["records"].empty());
    CHECK(json_of(scene.send("GET /records?state=COMPLETED"))["records"].empty());
    const auto forged = scene.send("GET /records?cursor=forged");
    CHECK(status_of(forged) == 400);
    CHECK(code_of(forged) == "BAD_REQUEST");
    CHECK(code_of(scene.send("GET /records?sort=age")) == "BAD_REQUEST");
}

TEST_CASE("a record is shown by its id") {
    Scene scene;
    CHECK(json_of(scene.send("GET /records/" + id_text))["state"] == "UNKNOWN");
    CHECK(code_of(scene.send("GET /records/" + std::string(64, '0'))) == "NOT_FOUND");
    CHECK(code_of(scene.send("GET /records/short")) == "NOT_FOUND");
    CHECK(code_of(scene.send("GET /records/lookup?route=orders&key=k")) == "NOT_FOUND");
    CHECK(code_of(scene.send("GET /records/lookup?route=nowhere&key=k")) == "BAD_REQUEST");
    CHECK(code_of(scene.send("GET /records/lookup?route=orders")) == "BAD_REQUEST");
}

TEST_CASE("a release names the fence that was seen") {
    Scene scene;
    const auto path = "POST /records/" + id_text + "/release";
    CHECK(code_of(scene.send(path)) == "FENCE_MISSING");
    CHECK(status_of(scene.send(path)) == 400);
    const auto other = scene.send(path + "?fence=16");
    CHECK(status_of(other) == 409);
    CHECK(code_of(other) == "FENCE_CHANGED");
    CHECK(code_of(scene.send(path + "?fence=17&state=COMPLETED")) == "STATE_CHANGED");
    CHECK(code_of(scene.send(path + "?fence=x")) == "BAD_REQUEST");
    CHECK(code_of(scene.send(path + "?fence=17&force=yes")) == "BAD_REQUEST");
    CHECK(scene.records.record.state == guard::RecordState::unknown);
    const auto released = scene.send(path + "?fence=17&state=UNKNOWN");
    CHECK(status_of(released) == 200);
    CHECK(json_of(released)["state"] == "FAILED");
    CHECK(json_of(released)["may"] == true);
    CHECK(json_of(released)["before"]["state"] == "UNKNOWN");
    CHECK(scene.records.record.state == guard::RecordState::failed);
}

TEST_CASE("a completed record is released only by force") {
    Scene scene;
    scene.records.record.state = guard::RecordState::completed;
    scene.records.record.response.emplace();
    const auto path = "POST /records/" + id_text + "/release?fence=17";
    CHECK(code_of(scene.send(path)) == "FORCE_NEEDED");
    CHECK(status_of(scene.send(path)) == 409);
    const auto detail = json_of(scene.send(path))["detail"].get<std::string>();
    CHECK(detail ==
          "this operation was executed and has its answer: to let it be executed again, force it (--force, or force=true in the "
          "query)");
    CHECK(status_of(scene.send(path + "&force=true", {}, R"({"fence": 17})")) == 200);
}

TEST_CASE("what needs force tells what it is for") {
    Scene scene;
    scene.records.record.state = guard::RecordState::completed;
    scene.records.record.response.emplace();
    const auto path = "POST /records/" + id_text + "/resolve?fence=17";
    const auto detail_of = [&](const std::string& content) {
        const auto answer = scene.send(path, {}, content);
        CHECK(code_of(answer) == "FORCE_NEEDED");
        return json_of(answer)["detail"].get<std::string>();
    };
    CHECK(detail_of(R"({"outcome": "completed", "status": 201})").find(": to give it another one, force it") !=
          std::string::npos);
    CHECK(detail_of(R"({"outcome": "failed"})").find(": to call it failed and let it be executed again, force it") !=
          std::string::npos);
    scene.records.record.state = guard::RecordState::processing;
    scene.records.record.lease_until = clock_now + std::chrono::seconds{15};
    CHECK(detail_of(R"({"outcome": "failed"})").find(": wait, or force it (--force, ") != std::string::npos);
}

TEST_CASE("a resolved record has the answer that was given") {
    Scene scene;
    const auto path = "POST /records/" + id_text + "/resolve";
    CHECK(code_of(scene.send(path + "?fence=17", {}, R"({"outcome": "lost"})")) == "BAD_REQUEST");
    CHECK(code_of(scene.send(path + "?fence=17", {}, "{")) == "BAD_REQUEST");
    const auto resolved = scene.send(path, {}, R"({"fence": 17, "outcome": "completed", "status": 201, "body": "done"})");
    CHECK(status_of(resolved) == 200);
    CHECK(json_of(resolved)["status"] == 201);
    REQUIRE(scene.records.record.response);
    CHECK(scene.records.record.response->body == "done");
    CHECK(scene.records.record.response->head == "Created\r\n");
}

TEST_CASE("a store that does not answer is 503, and nothing is known to have changed") {
    Scene scene;
    scene.records.failure = store::StoreErrc::unavailable;
    const auto answer = scene.send("GET /records/" + id_text);
    CHECK(status_of(answer) == 503);
    CHECK(code_of(answer) == "STORE_UNAVAILABLE");
    CHECK(has_line(answer, "Retry-After: 1"));
    CHECK(code_of(scene.send("POST /records/" + id_text + "/release?fence=17")) == "STORE_UNAVAILABLE");
    scene.records.failure = store::StoreErrc::corrupt;
    CHECK(code_of(scene.send("GET /records/" + id_text)) == "STORE_CORRUPT");
}

TEST_CASE("other methods are 405 with those that are allowed, other pages 404") {
    Scene scene;
    const auto put = scene.send("PUT /records");
    CHECK(code_of(put) == "METHOD_NOT_ALLOWED");
    CHECK(has_line(put, "Allow: GET, HEAD"));
    CHECK(has_line(scene.send("GET /reload"), "Allow: POST"));
    CHECK(has_line(scene.send("OPTIONS /log-level"), "Allow: GET, HEAD, PUT"));
    CHECK(has_line(scene.send("OPTIONS *"), "Allow: GET, HEAD, POST, PUT"));
    CHECK(code_of(scene.send("GET /ui")) == "NOT_FOUND");
    CHECK(status_of(scene.send("HEAD /records")) == 200);
}

TEST_CASE("what a page of another site makes a browser send changes nothing") {
    Scene scene;
    const auto path = "POST /records/" + id_text + "/release?fence=17";
    CHECK(code_of(scene.send(path, "Origin: http://evil.example\r\n")) == "CROSS_SITE");
    CHECK(code_of(scene.send(path, "Sec-Fetch-Site: cross-site\r\n")) == "CROSS_SITE");
    CHECK(code_of(scene.send(path, "Content-Type: text/plain\r\n")) == "UNSUPPORTED_MEDIA_TYPE");
    TcpClient rebound(local(scene.port));
    rebound.send(path + " HTTP/1.1\r\nHost: evil.example:9901\r\n\r\n");
    CHECK(code_of(rebound.response()) == "CROSS_SITE");
    CHECK(scene.records.record.state == guard::RecordState::unknown);
}

TEST_CASE("a token is asked for where there is a file of them, and the file counts as it is now") {
    const TokenFile file;
    Scene scene({{"127.0.0.1", 0, {}}, file.path});
    const auto none = scene.send("GET /records");
    CHECK(status_of(none) == 401);
    CHECK(has_line(none, "WWW-Authenticate: Bearer"));
    CHECK(status_of(scene.send("GET /livez")) == 401);
    CHECK(status_of(scene.send("GET /records", "Authorization: Bearer wrong\r\n")) == 401);
    CHECK(status_of(scene.send("GET /records", "Authorization: Bearer first\r\n")) == 200);
    file.write("second\nfirst\n");
    CHECK(status_of(scene.send("GET /records", "Authorization: Bearer second\r\n")) == 200);
    file.write("second\n");
    CHECK(status_of(scene.send("GET /records", "Authorization: Bearer first\r\n")) == 401);
    file.write("");
    CHECK(code_of(scene.send("GET /records", "Authorization: Bearer second\r\n")) == "TOKEN_FILE_UNREADABLE");
}

TEST_CASE("the log's level is shown and changed") {
    Scene scene;
    CHECK(json_of(scene.send("PUT /log-level", {}, R"({"level": "error"})"))["level"] == "error");
    CHECK(telemetry::level() == config::LogLevel::error);
    const auto passing = json_of(scene.send("PUT /log-level?for=10m", {}, R"({"level": "warn"})"));
    CHECK(passing["level"] == "warn");
    CHECK(passing["returns_to"] == "error");
    CHECK(passing["returns_in_ms"].get<int>() > 590'000);
    CHECK(json_of(scene.send("GET /log-level"))["returns_to"] == "error");
    for (const auto* body : {R"({})", R"({"level": "loud"})", R"({"level": 3})", R"({"level": "warn", "for": "10"})",
                             R"({"level": "warn", "for": 10})"}) {
        CHECK(code_of(scene.send("PUT /log-level", {}, body)) == "BAD_REQUEST");
    }
    CHECK(code_of(scene.send("PUT /log-level?for=1h", {}, R"({"level": "warn", "for": "2h"})")) == "BAD_REQUEST");
}

TEST_CASE("a reload says what has changed, or every error") {
    Scene scene;
    scene.control.report.result = ReloadResult::applied;
    scene.control.report.changed = {"routes[orders].lease"};
    scene.control.report.needs_restart = {"listen"};
    const auto applied = json_of(scene.send("POST /reload"));
    CHECK(applied["result"] == "applied");
    CHECK(applied["changed"] == json::array({"routes[orders].lease"}));
    CHECK(applied["needs_restart"] == json::array({"listen"}));
    scene.control.report = {};
    scene.control.report.result = ReloadResult::rejected;
    scene.control.report.errors = {"onceward.yaml:1:1: nope"};
    const auto rejected = scene.send("POST /reload");
    CHECK(status_of(rejected) == 422);
    CHECK(code_of(rejected) == "RELOAD_REJECTED");
    CHECK(json_of(rejected)["errors"] == json::array({"onceward.yaml:1:1: nope"}));
}

TEST_CASE("content is bounded, and is asked for when the client waits for that") {
    Scene scene;
    TcpClient large(local(scene.port));
    large.send("PUT /log-level HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n");
    CHECK(code_of(large.response()) == "CONTENT_TOO_LARGE");
    TcpClient waiting(local(scene.port));
    waiting.send(
        "PUT /log-level HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 18\r\nExpect: "
        "100-continue\r\n\r\n");
    CHECK(waiting.interim() == "HTTP/1.1 100 Continue\r\n\r\n");
    waiting.send(R"({"level": "error"})");
    CHECK(json_of(waiting.response())["level"] == "error");
}

TEST_CASE("the socket of a unix address is for its owner alone") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("admin.sock");
    {
        Scene scene({{{}, 0, path}, {}});
        struct stat info {};
        REQUIRE(::stat(path.c_str(), &info) == 0);
        CHECK((info.st_mode & 0777U) == 0600U);
        Client<asio::local::stream_protocol> client{asio::local::stream_protocol::endpoint(path)};
        client.send("GET /records HTTP/1.1\r\nHost: anything\r\n\r\n");
        CHECK(status_of(client.response()) == 200);
    }
}
