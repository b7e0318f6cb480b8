#include "store/worker_table.hpp"

#include "catch.hpp"
#include "record_builders.hpp"

namespace onceward::store {

namespace {

const auto start = from_micros(1'700'000'000'000'000);

WorkerLeaseRequest request(std::uint64_t owner, StoreTime clock) {
    WorkerLeaseRequest made;
    made.owner = test::owner_token(owner);
    made.clock = clock;
    return made;
}

WorkerStep lease(const std::optional<WorkerRow>& row, const WorkerLeaseRequest& by, StoreTime now) {
    const auto step = lease_worker_row(5, row, by, now);
    REQUIRE(step);
    return *step;
}

}  // namespace

TEST_CASE("a worker id that was never held is usable from the holder's clock, for the horizon") {
    const auto step = lease(std::nullopt, request(1, start), start);
    CHECK(step.reply.worker_id == 5);
    CHECK(step.reply.usable_from == start);
    CHECK(step.reply.confirmed_until == start + seconds{3});
    CHECK(step.write.lease_until == start + seconds{15});
}

TEST_CASE("a holder keeps its id, also late, and others wait for the end of its lease") {
    const auto row = lease(std::nullopt, request(1, start), start).write;
    CHECK_FALSE(lease_worker_row(5, row, request(2, start), start + seconds{15} - microseconds{1}));
    CHECK(lease_worker_row(5, row, request(2, start), start + seconds{15}));
    CHECK(lease_worker_row(5, row, request(1, start), start + seconds{3'600}));
}

TEST_CASE("a renewal never takes reserved time back") {
    const auto first = lease(std::nullopt, request(1, start), start);
    const auto with_clock_behind = lease(first.write, request(1, start - seconds{60}), start + seconds{5});
    CHECK(with_clock_behind.reply.confirmed_until == first.reply.confirmed_until);
    const auto later = lease(first.write, request(1, start + seconds{5}), start + seconds{5});
    CHECK(later.reply.confirmed_until == start + seconds{8});
}

TEST_CASE("a holder goes on inside of what it reserved itself, also when the reply to a renewal was lost") {
    const auto first = lease(std::nullopt, request(1, start), start);
    const auto unheard = lease(first.write, request(1, start + seconds{1}), start + seconds{1});
    const auto next = lease(unheard.write, request(1, start + seconds{2}), start + seconds{2});
    CHECK(next.reply.usable_from == start + seconds{2});
}

TEST_CASE("the next holder starts after all that was reserved, whatever its clock says") {
    const auto row = lease(std::nullopt, request(1, start + seconds{100}), start).write;
    const auto next = lease(row, request(2, start + seconds{16}), start + seconds{16});
    CHECK(next.reply.usable_from == start + seconds{103} + microseconds{1});
    CHECK(next.reply.confirmed_until == next.reply.usable_from + seconds{3});
    const auto ahead = lease(row, request(2, start + seconds{200}), start + seconds{16});
    CHECK(ahead.reply.usable_from == start + seconds{200});
    CHECK(ahead.reply.confirmed_until == start + seconds{203});
}

}  // namespace onceward::store
