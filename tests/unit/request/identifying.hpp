#pragma once

#include "../route/requests.hpp"
#include "catch.hpp"
#include "onceward/request/identify.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace onceward::test {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

inline config::SourceList sources(const std::vector<std::string>& texts) {
    config::SourceList list;
    for (const auto& text : texts) {
        list.push_back(std::get<config::Source>(request::parse_source(text)));
    }
    return list;
}

/// One route `orders`, and requests to it.
class OneRoute {
public:
    explicit OneRoute(std::string path = "/api/orders") : options(test::options({{"orders", std::move(path)}})) {}

    config::Options options;
    config::Route& route() { return options.routes.front(); }
    /// Alternatives of one source each.
    OneRoute& key_from(const std::vector<std::string>& texts) {
        route().key.from.clear();
        for (const auto& text : texts) {
            route().key.from.push_back(sources({text}));
        }
        return *this;
    }

    struct Sent {
        std::string_view target = "/api/orders";
        Fields fields{};
        std::string_view body{};
        std::string_view method = "POST";
    };

    [[nodiscard]] request::Identification identify(const Sent& sent) const {
        const auto [head, match, table] = prepare(sent);
        return request::Identifier(options.routes.front(), *table, 0).identify(head, match, {sent.body});
    }
    [[nodiscard]] auto check_head(const Sent& sent) const {
        const auto [head, match, table] = prepare(sent);
        return request::Identifier(options.routes.front(), *table, 0).check_head(head, match);
    }
    /// What the request is taken for: `found`, `keyless`, or the code's name.
    [[nodiscard]] std::string outcome(const Sent& sent) const {
        const auto result = identify(sent);
        if (const auto* code = std::get_if<guard::ProblemCode>(&result)) {
            return std::string(guard::info(*code).name);
        }
        return std::holds_alternative<request::Keyless>(result) ? "keyless" : "found";
    }
    [[nodiscard]] request::Identified found(const Sent& sent) const {
        INFO(outcome(sent));
        return std::get<request::Identified>(identify(sent));
    }
    [[nodiscard]] RecordId id(const Sent& sent) const { return found(sent).id; }

private:
    struct Prepared {
        http::RequestHead head;
        route::Match match;
        std::unique_ptr<route::RouteTable> table;
    };
    [[nodiscard]] Prepared prepare(const Sent& sent) const {
        Prepared result{request(sent.method, sent.target), {}, std::make_unique<route::RouteTable>(options)};
        for (const auto& field : sent.fields) {
            result.head.headers.add(field.first, field.second);
        }
        result.table->match(result.head, result.match);
        return result;
    }
};

}  // namespace onceward::test
