#include "catch.hpp"
#include "rig.hpp"

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;

namespace {

/// Lets an execution of record `id` start and end on loop 0.
void execute(Rig& rig, std::uint64_t id) {
    const auto request = claim_request(id, 1'000 + rig.fresh());
    rig.apply(command(request, rig.win(request), Fail{FailureKind::answered, "status:503"}));
}

/// Executes until `loop` was told. A store may need a moment to begin watching, and what ends before is not reported.
bool told(Rig& rig, std::uint64_t id, std::size_t loop) {
    const auto before = rig.changes(loop).count(test::record_id(id));
    return rig.eventually([&] {
        execute(rig, id);
        rig.pause();
        return rig.changes(loop).count(test::record_id(id)) > before;
    });
}

}  // namespace

TEST_CASE("who watches a record is told on its own loop when an execution ends") {
    Rig rig;
    const auto loop = GENERATE(as<std::size_t>{}, 0, 1);
    // Several records: a store may keep them in different places.
    for (std::uint64_t id = 1; id <= 4; ++id) {
        rig.watch(test::record_id(id), loop);
        CHECK(told(rig, id, loop));
    }
}

TEST_CASE("every way out of PROCESSING is reported") {
    Rig rig;
    const auto action = GENERATE(values<Action>({Complete{test::response()}, Fail{FailureKind::not_executed, "refused"},
                                                 Fail{FailureKind::answered, "status:500"}, MarkUnknown{"reset"}}));
    rig.watch(test::record_id(1), 1);
    REQUIRE(told(rig, 1, 1));
    const auto request = claim_request(1, 50);
    const auto claim = rig.win(request);
    const auto before = rig.changes(1).count(test::record_id(1));
    rig.apply(command(request, claim, action));
    CHECK(rig.changes(1).wait_for(test::record_id(1), before + 1));
}

TEST_CASE("watching is counted") {
    Rig rig;
    rig.watch(test::record_id(1), 1);
    rig.watch(test::record_id(1), 1);
    REQUIRE(told(rig, 1, 1));
    rig.unwatch(test::record_id(1), 1);
    CHECK(told(rig, 1, 1));
}

TEST_CASE("who no longer watches is not told") {
    Rig rig;
    rig.watch(test::record_id(1), 1);
    rig.watch(test::record_id(2), 1);
    REQUIRE(told(rig, 1, 1));
    REQUIRE(told(rig, 2, 1));
    rig.unwatch(test::record_id(1), 1);
    // What was under way at that moment has arrived once a later change has.
    REQUIRE(told(rig, 2, 1));
    const auto before = rig.changes(1).count(test::record_id(1));
    execute(rig, 1);
    REQUIRE(told(rig, 2, 1));
    CHECK(rig.changes(1).count(test::record_id(1)) == before);
}

}  // namespace onceward::contract
