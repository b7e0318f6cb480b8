#include "catch.hpp"
#include "onceward/request/identify.hpp"

using namespace onceward;
using config::Source;
using config::SourceKind;
using request::parse_source;
using request::preset;

TEST_CASE("a source is read as it is written") {
    const std::pair<std::string_view, Source> rows[] = {
        {"header:Idempotency-Key", {SourceKind::header, "Idempotency-Key"}},
        {"query:a b", {SourceKind::query, "a b"}},
        {"json:/a/0/~1x", {SourceKind::json, "/a/0/~1x"}},
        {"form:token", {SourceKind::form, "token"}},
        {"multipart:file", {SourceKind::multipart, "file"}},
        {"path:id", {SourceKind::path, "id"}},
        {"host", {SourceKind::host, ""}},
        {"tls:subject", {SourceKind::tls_subject, ""}},
        {"derived", {SourceKind::derived, ""}},
        {"jwt:https://claims.test/sub", {SourceKind::jwt, "https://claims.test/sub"}},
    };
    for (const auto& row : rows) {
        INFO(row.first);
        const auto parsed = parse_source(row.first);
        REQUIRE(std::holds_alternative<Source>(parsed));
        CHECK(std::get<Source>(parsed) == row.second);
    }
}

TEST_CASE("a source that means nothing is told in words") {
    for (const std::string_view bad : {"", "header", "header:", "header:a b", "header:é", "query:", "json:", "json:a", "json:/~2",
                                       "host:x", "derived:", "cookie:a", "Header:A", "tls:issuer", "tls:", ":x"}) {
        INFO(bad);
        const auto parsed = parse_source(bad);
        REQUIRE(std::holds_alternative<std::string>(parsed));
        CHECK_FALSE(std::get<std::string>(parsed).empty());
    }
}

TEST_CASE("presets are the sources that the senders document") {
    CHECK(preset("cloudevents")->size() == 2);
    CHECK(preset("cloudevents")->front() == config::SourceList{{SourceKind::header, "ce-source"}, {SourceKind::header, "ce-id"}});
    CHECK(preset("cloudevents")->back() == config::SourceList{{SourceKind::json, "/source"}, {SourceKind::json, "/id"}});
    const std::pair<std::string_view, Source> rows[] = {
        {"pubsub", {SourceKind::json, "/message/messageId"}},
        {"sns", {SourceKind::header, "x-amz-sns-message-id"}},
        {"standard-webhooks", {SourceKind::header, "webhook-id"}},
        {"stripe", {SourceKind::json, "/id"}},
        {"github", {SourceKind::header, "X-GitHub-Delivery"}},
        {"shopify", {SourceKind::header, "X-Shopify-Webhook-Id"}},
        {"wechatpay", {SourceKind::json, "/id"}},
        {"alipay", {SourceKind::form, "notify_id"}},
    };
    for (const auto& row : rows) {
        INFO(row.first);
        CHECK(preset(row.first) == std::vector<config::SourceList>{{row.second}});
    }
    CHECK_FALSE(preset("paypal"));
}
