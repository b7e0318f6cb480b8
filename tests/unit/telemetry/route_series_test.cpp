#include "onceward/telemetry/route_series.hpp"

#include "catch.hpp"

using namespace onceward;
using namespace onceward::telemetry;

namespace {

/// Two loops and what a scrape shows of them.
struct Process {
    LoopMetrics first;
    LoopMetrics second;
    RouteSeries series;
    Deadline now{};

    Process() {
        series.add_loop(first);
        series.configure({"orders", "refunds"});
        // A loop may come later than the routes.
        series.add_loop(second);
    }

    /// What a loop that answers by the route has in hand.
    static std::shared_ptr<RouteMetrics> in_hand(LoopMetrics& loop, std::size_t place) { return loop.routes.at(place); }
    static void count(RouteMetrics& route) { route.count_request(201, guard::IdempotencyStatus::executed); }

    std::string scrape_after(std::chrono::seconds time) {
        now += time;
        series.forget(now);
        ScrapeFacts facts;
        facts.route_names = series.names();
        facts.loops = {&first, &second};
        return prometheus_text(facts);
    }
};

bool shows(const std::string& text, const std::string& route) {
    return text.find("{route=\"" + route + "\"") != std::string::npos;
}

std::string executed(const std::string& route, int n) {
    return "\nonceward_requests_total{route=\"" + route + R"(",status_class="2xx",idempotency_status="executed"} )" +
           std::to_string(n) + "\n";
}

constexpr std::chrono::seconds lingers = RouteSeries::lingers;
constexpr std::chrono::seconds second{1};

}  // namespace

TEST_CASE("the series of a removed route are shown a while longer, and then no more") {
    Process process;
    Process::count(*process.first.routes[0]);
    Process::count(*process.second.routes[1]);
    process.series.configure({"refunds", "later"});
    CHECK(process.scrape_after(second).find(executed("orders", 1)) != std::string::npos);
    CHECK(shows(process.scrape_after(lingers - second), "orders"));
    const auto text = process.scrape_after(second);
    CHECK_FALSE(shows(text, "orders"));
    CHECK(text.find(executed("refunds", 1)) != std::string::npos);
    CHECK(shows(text, "later"));
    CHECK(process.series.place_of("refunds") == 0);
    Process::count(*process.first.routes[process.series.place_of("later")]);
    CHECK(process.scrape_after(second).find(executed("later", 1)) != std::string::npos);
}

TEST_CASE("what a request counts under a route that was removed meanwhile is shown") {
    Process process;
    auto held = Process::in_hand(process.second, 0);
    process.series.configure({});
    CHECK(shows(process.scrape_after(lingers), "orders"));
    CHECK(shows(process.scrape_after(lingers), "orders"));
    CHECK_FALSE(shows(process.scrape_after(second), "refunds"));
    Process::count(*held);
    held.reset();
    CHECK(process.scrape_after(second).find(executed("orders", 1)) != std::string::npos);
    CHECK(process.scrape_after(lingers - second).find(executed("orders", 1)) != std::string::npos);
    CHECK_FALSE(shows(process.scrape_after(second), "orders"));
}

TEST_CASE("a route that comes back in time goes on counting, and later begins anew") {
    Process process;
    Process::count(*process.first.routes[0]);
    process.series.configure({});
    process.scrape_after(second);
    process.series.configure({"orders"});
    CHECK(process.scrape_after(2 * lingers).find(executed("orders", 1)) != std::string::npos);
    process.series.configure({});
    process.scrape_after(second);
    process.scrape_after(lingers);
    process.series.configure({"orders"});
    const auto text = process.scrape_after(second);
    CHECK(shows(text, "orders"));
    CHECK(text.find(executed("orders", 1)) == std::string::npos);
}
