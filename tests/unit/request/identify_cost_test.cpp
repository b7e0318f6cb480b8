#include "identifying.hpp"

#include <time.h>

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

namespace {

struct Typical {
    test::OneRoute one;
    route::RouteTable table{one.options};
    request::Identifier identifier{one.options.routes.front(), table, 0};
    http::RequestHead head = test::request("POST", "/api/orders");
    std::string body = std::string(300, 'b');
    route::Match match;

    Typical() {
        head.headers.add("Host", "shop.test");
        head.headers.add("Content-Type", "application/json");
        head.headers.add("Authorization", "Bearer 0123456789abcdef0123456789abcdef");
        head.headers.add("Idempotency-Key", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"");
    }
    bool identify() {
        const bool open = !identifier.check_head(head, match);
        return open && std::holds_alternative<request::Identified>(identifier.identify(head, match, {body}));
    }
};

double cpu_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

template <typename Call>
double cost_of(Call&& call) {
    constexpr int rounds = 20'000;
    const double start = cpu_nanoseconds();
    for (int i = 0; i < rounds; ++i) {
        call();
    }
    return (cpu_nanoseconds() - start) / rounds;
}

}  // namespace

TEST_CASE("a typical request is matched without an allocation and identified with one") {
    Typical request;
    request.table.match(request.head, request.match);
    REQUIRE(request.identify());
    const auto before = allocations;
    request.table.match(request.head, request.match);
    const auto matched = allocations;
    const bool identified = request.identify();
    const auto after = allocations;
    CHECK(identified);
    CHECK(matched - before == 0);
    CHECK(after - matched == 1);
}

// Run by name: request_test "[.cost]".
TEST_CASE("what matching and identifying a typical request cost", "[.cost]") {
    Typical request;
    const auto match_cost = cost_of([&] { request.table.match(request.head, request.match); });
    const auto identify_cost = cost_of([&] { request.identify(); });
    WARN("match " << match_cost << " ns, check_head and identify " << identify_cost << " ns of CPU");
    CHECK(request.identify());
}
