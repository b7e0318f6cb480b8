#include "onceward/base/assert.hpp"
#include "onceward/route/route_table.hpp"
#include "onceward/route/target.hpp"

#include <cstdint>
#include <string>

using namespace onceward;

/// A normal form is its own normal form. A path is guarded exactly when its normal form without parameters is, and never passes
/// when the one with them is guarded: that is how another server may read it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const config::Options options = [] {
        config::Options result;
        for (const char* path : {"/api/orders", "/a/{id}/b", "/deep/**"}) {
            result.routes.emplace_back().path = path;
        }
        return result;
    }();
    static const route::RouteTable table(options);
    for (const auto parameters : {route::PathParameters::kept, route::PathParameters::dropped}) {
        std::string once;
        std::string twice;
        route::append_normalised_path(once, {reinterpret_cast<const char*>(data), size}, parameters, route::PathCase::folded);
        route::append_normalised_path(twice, once, parameters, route::PathCase::folded);
        ONCEWARD_ASSERT(once == twice);
        ONCEWARD_ASSERT(once == "*" || (once.front() == '/' && once.find("//") == std::string::npos));
        ONCEWARD_ASSERT(once.size() == 1 || once.back() != '/');
        ONCEWARD_ASSERT((once + "/").find("/../") == std::string::npos && (once + "/").find("/./") == std::string::npos);
        http::RequestHead sent;
        sent.method = "POST";
        sent.path.assign(reinterpret_cast<const char*>(data), size);
        route::Match of_sent;
        table.match(sent, of_sent);
        sent.path = once;
        route::Match of_normal;
        table.match(sent, of_normal);
        using enum route::Match::Kind;
        ONCEWARD_ASSERT(of_normal.kind != guarded || of_sent.kind == guarded || of_sent.kind == ambiguous);
        if (parameters == route::PathParameters::dropped) {
            ONCEWARD_ASSERT((of_sent.kind == guarded) == (of_normal.kind == guarded) && of_sent.index == of_normal.index);
        }
    }
    return 0;
}
