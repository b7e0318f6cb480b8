#include "onceward/request/identify.hpp"

#include "onceward/base/assert.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace onceward;

/// Lines of the input: query, content type, Authorization, key; the rest is the body. What the head alone decides the whole
/// decides too, and one request is always the same request.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const config::Options options = [] {
        config::Options result;
        auto& route = result.routes.emplace_back();
        route.path = "/{id}";
        route.key.from.clear();
        for (const char* text : {"header:Idempotency-Key", "query:k", "json:/a/0", "form:k", "multipart:k", "jwt:jti"}) {
            route.key.from.push_back({std::get<config::Source>(request::parse_source(text))});
        }
        route.fingerprint.json = config::JsonMode::canonical;
        route.fingerprint.ignore = {"/a"};
        return result;
    }();
    static const route::RouteTable table(options);
    static const request::Identifier identifier(options.routes.front(), table, 0);
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const auto line = [&rest] {
        const auto text = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), text.size() + 1));
        return text;
    };
    http::RequestHead head;
    head.method = "POST";
    head.path = head.target = "/x";
    head.query = line();
    for (const char* name : {"Content-Type", "Authorization", "Idempotency-Key"}) {
        if (const auto value = line(); !value.empty()) {
            head.headers.add(name, value);
        }
    }
    route::Match match;
    table.match(head, match);
    const auto early = identifier.check_head(head, match);
    const auto first = identifier.identify(head, match, {rest});
    const auto second = identifier.identify(head, match, {rest});
    ONCEWARD_ASSERT(first.index() == second.index());
    const auto* code = std::get_if<guard::ProblemCode>(&first);
    ONCEWARD_ASSERT(!early || (code != nullptr && std::get<guard::ProblemCode>(*early) == *code));
    if (const auto* found = std::get_if<request::Identified>(&first)) {
        const auto& again = std::get<request::Identified>(second);
        ONCEWARD_ASSERT(found->id == again.id && found->identity.fingerprint == again.identity.fingerprint);
        ONCEWARD_ASSERT(found->identity.parts.size() <= 4096 && found->identity.parts == again.identity.parts);
    }
    return 0;
}
