#include "onceward/request/identify.hpp"

#include <initializer_list>

namespace onceward::request {

namespace {

using config::Source;
using config::SourceKind;
using config::SourceList;

std::vector<SourceList> one(SourceKind kind, std::string_view name) {
    return {{Source{kind, std::string(name)}}};
}

}  // namespace

std::optional<std::vector<SourceList>> preset(std::string_view name) {
    if (name == "cloudevents") {
        return {{{{SourceKind::header, "ce-source"}, {SourceKind::header, "ce-id"}},
                 {{SourceKind::json, "/source"}, {SourceKind::json, "/id"}}}};
    }
    struct Row {
        std::string_view name;
        SourceKind kind;
        std::string_view source;
    };
    static constexpr Row rows[] = {
        {"pubsub", SourceKind::json, "/message/messageId"},
        {"sns", SourceKind::header, "x-amz-sns-message-id"},
        {"standard-webhooks", SourceKind::header, "webhook-id"},
        {"stripe", SourceKind::json, "/id"},
        {"github", SourceKind::header, "X-GitHub-Delivery"},
        {"shopify", SourceKind::header, "X-Shopify-Webhook-Id"},
        {"wechatpay", SourceKind::json, "/id"},
        {"alipay", SourceKind::form, "notify_id"},
    };
    for (const auto& row : rows) {
        if (row.name == name) {
            return one(row.kind, row.source);
        }
    }
    return std::nullopt;
}

}  // namespace onceward::request
