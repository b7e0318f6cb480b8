#include "id/lease_schedule.hpp"

#include "catch.hpp"

using namespace onceward;
using id::LeaseSchedule;
using store::StoreErrc;
using News = LeaseSchedule::News;
using namespace std::chrono_literals;

namespace {

store::WorkerLease lease_of(int worker) {
    return {worker, StoreTime{}, StoreTime{3s}};
}
boost::system::error_code failure(StoreErrc errc) {
    return make_error_code(errc);
}

}  // namespace

TEST_CASE("any worker id will do at first; the one that was given is kept and renewed three times a horizon") {
    LeaseSchedule schedule({});
    CHECK(schedule.wanted() == -1);
    const auto first = schedule.on_lease(lease_of(7));
    CHECK(first.wait == 1000ms);
    CHECK(first.news == News::acquired);
    CHECK(schedule.wanted() == 7);
    const auto second = schedule.on_lease(lease_of(7));
    CHECK(second.wait == 1000ms);
    CHECK(second.news == News::none);
}

TEST_CASE("a store that does not answer is asked again, slower up to the pace of renewals, and told about once") {
    LeaseSchedule schedule({});
    std::vector<milliseconds> waits;
    std::vector<News> news;
    for (int i = 0; i < 6; ++i) {
        const auto step = schedule.on_failure(failure(i % 2 == 0 ? StoreErrc::unavailable : StoreErrc::timed_out));
        waits.push_back(step.wait);
        news.push_back(step.news);
    }
    CHECK(waits == std::vector<milliseconds>{100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms});
    CHECK(news == std::vector<News>{News::failing, News::none, News::none, News::none, News::none, News::none});
    CHECK(schedule.on_lease(lease_of(3)).news == News::acquired);
    CHECK(schedule.on_failure(failure(StoreErrc::lost)).wait == 100ms);
    CHECK(schedule.wanted() == 3);
    CHECK(schedule.on_lease(lease_of(3)).news == News::renewed);
}

TEST_CASE("an id that went to another process is given up for any other") {
    LeaseSchedule schedule({});
    schedule.on_lease(lease_of(7));
    const auto step = schedule.on_failure(failure(StoreErrc::rejected));
    CHECK(step.news == News::given_away);
    CHECK(step.wait == 100ms);
    CHECK(schedule.wanted() == -1);
    CHECK_FALSE(schedule.holds());
    CHECK(schedule.on_lease(lease_of(8)).news == News::acquired);
    CHECK(schedule.wanted() == 8);
}

TEST_CASE("when all ids are taken it goes on asking") {
    LeaseSchedule schedule({});
    CHECK(schedule.on_failure(failure(StoreErrc::rejected)).news == News::taken);
    CHECK(schedule.on_failure(failure(StoreErrc::rejected)).news == News::none);
    CHECK(schedule.wanted() == -1);
    CHECK(schedule.on_lease(lease_of(0)).news == News::acquired);
}

TEST_CASE("a configured id is insisted on") {
    LeaseSchedule schedule(9);
    CHECK(schedule.wanted() == 9);
    CHECK(schedule.on_failure(failure(StoreErrc::rejected)).news == News::taken);
    CHECK(schedule.wanted() == 9);
    CHECK_FALSE(schedule.holds());
    CHECK(schedule.on_lease(lease_of(9)).news == News::acquired);
    CHECK(schedule.holds());
    CHECK(schedule.on_failure(failure(StoreErrc::rejected)).news == News::taken);
    CHECK(schedule.wanted() == 9);
}
