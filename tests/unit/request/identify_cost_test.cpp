#include "identifying.hpp"

#include <chrono>
#include <cstdlib>
#include <new>

using namespace onceward;

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

TEST_CASE("a typical request is matched without an allocation and identified with one") {
    const test::OneRoute one;
    const route::RouteTable table(one.options);
    const request::Identifier identifier(one.options.routes.front(), table, 0);
    auto head = test::request("POST", "/api/orders");
    head.headers.add("Host", "shop.test");
    head.headers.add("Content-Type", "application/json");
    head.headers.add("Authorization", "Bearer 0123456789abcdef0123456789abcdef");
    head.headers.add("Idempotency-Key", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"");
    const std::string body(300, 'b');
    route::Match match;
    constexpr int rounds = 2000;
    std::size_t matched = 0;
    std::size_t identified = 0;
    std::chrono::nanoseconds match_time{0};
    std::chrono::nanoseconds identify_time{0};
    bool fine = true;
    for (int i = 0; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto before = allocations;
        table.match(head, match);
        const auto between = std::chrono::steady_clock::now();
        const auto after_match = allocations;
        fine = fine && !identifier.check_head(head, match);
        const auto result = identifier.identify(head, match, body);
        fine = fine && std::holds_alternative<request::Identified>(result);
        if (i >= 10) {
            matched += after_match - before;
            identified += allocations - after_match;
            match_time += between - start;
            identify_time += std::chrono::steady_clock::now() - between;
        }
    }
    CHECK(fine);
    CHECK(matched == 0);
    CHECK(identified == rounds - 10);
    WARN("match " << match_time.count() / rounds << " ns, check_head and identify " << identify_time.count() / rounds << " ns");
}
