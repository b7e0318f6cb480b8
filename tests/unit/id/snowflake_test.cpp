#include "onceward/id/snowflake.hpp"

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <unordered_set>
#include <vector>

using namespace onceward;
using namespace onceward::id;
using namespace std::chrono_literals;

namespace {

constexpr StoreTime start{std::chrono::seconds{1'764'504'000}};

SnowflakeGenerator granted(SequenceShare share, StoreTime from, StoreTime until, int worker = 5) {
    SnowflakeGenerator generator(share);
    generator.grant({worker, from, until});
    return generator;
}

SnowflakeParts parts_of(const NextId& next) {
    REQUIRE(std::holds_alternative<OperationId>(next));
    return decode(std::get<OperationId>(next));
}

IdRefusal refusal_of(const NextId& next) {
    REQUIRE(std::holds_alternative<IdRefusal>(next));
    return std::get<IdRefusal>(next);
}

microseconds wait_of(const NextId& next) {
    REQUIRE(std::holds_alternative<WaitFor>(next));
    return std::get<WaitFor>(next).time;
}

}  // namespace

TEST_CASE("an id is 41 bits of milliseconds since 2024, 10 bits worker, 12 bits sequence") {
    CHECK(encode({snowflake_epoch + 1ms, 0, 0}).value == 1LL << 22);
    CHECK(encode({snowflake_epoch + 1ms, 1, 2}).value == (1LL << 22 | 1LL << 12 | 2));
    CHECK(encode({snowflake_end, 1023, 4095}).value == INT64_MAX);
    const SnowflakeParts parts{snowflake_epoch + 123'456'789ms, 1023, 4095};
    CHECK(decode(encode(parts)) == parts);
    CHECK(decode(OperationId{INT64_MAX}) == SnowflakeParts{snowflake_end, 1023, 4095});
}

TEST_CASE("ids carry the time, the worker and the loop's own sequences") {
    auto generator = granted({1, 3}, start, start + 3s, 42);
    CHECK(parts_of(generator.next(start + 1500us)) == SnowflakeParts{start + 1ms, 42, 1});
    CHECK(parts_of(generator.next(start + 1600us)) == SnowflakeParts{start + 1ms, 42, 4});
    CHECK(parts_of(generator.next(start + 1999us)) == SnowflakeParts{start + 1ms, 42, 7});
    CHECK(parts_of(generator.next(start + 2ms)) == SnowflakeParts{start + 2ms, 42, 1});
}

TEST_CASE("without a worker id ids are refused") {
    SnowflakeGenerator generator({0, 1});
    CHECK(refusal_of(generator.next(start)) == IdRefusal::no_lease);
}

TEST_CASE("only times up to the confirmed horizon are used, the horizon's millisecond included") {
    auto generator = granted({0, 1}, start, start + 3s);
    CHECK(parts_of(generator.next(start + 3s)).time == start + 3s);
    CHECK(refusal_of(generator.next(start + 3001ms)) == IdRefusal::not_confirmed);
    generator.grant({5, start + 1s, start + 4s});
    CHECK(parts_of(generator.next(start + 3001ms)).time == start + 3001ms);
}

TEST_CASE("a holder starts behind all that the one before may have used") {
    // The millisecond in which the former horizon lies may be taken.
    auto generator = granted({0, 1}, start + 5ms + 1us, start + 3s);
    CHECK(wait_of(generator.next(start)) == 6ms);
    CHECK(wait_of(generator.next(start + 5ms + 1us)) == 999us);
    CHECK(parts_of(generator.next(start + 6ms)).time == start + 6ms);
    auto far = granted({0, 1}, start + 10ms + 1us, start + 3s);
    CHECK(refusal_of(far.next(start)) == IdRefusal::clock_went_back);
}

TEST_CASE("a clock that goes back is waited for up to 10 ms, then ids are refused, and nothing is given twice") {
    auto generator = granted({0, 1}, start, start + 3s);
    const auto latest = parts_of(generator.next(start + 1s));
    CHECK(wait_of(generator.next(start + 990ms)) == 10ms);
    CHECK(wait_of(generator.next(start + 999'250us)) == 750us);
    CHECK(refusal_of(generator.next(start + 989'999us)) == IdRefusal::clock_went_back);
    CHECK(parts_of(generator.next(start + 1s)) == SnowflakeParts{latest.time, latest.worker, 1});
}

TEST_CASE("a full sequence goes on in the next millisecond") {
    auto generator = granted({0, 1}, start, start + 3s);
    for (std::uint32_t i = 0; i < sequence_count; ++i) {
        REQUIRE(parts_of(generator.next(start + 300us)).sequence == i);
    }
    CHECK(wait_of(generator.next(start + 300us)) == 700us);
    CHECK(parts_of(generator.next(start + 1ms)) == SnowflakeParts{start + 1ms, 5, 0});
}

TEST_CASE("each of 4096 loops has one id a millisecond") {
    auto generator = granted({4095, 4096}, start, start + 3s);
    CHECK(parts_of(generator.next(start)).sequence == 4095);
    CHECK(wait_of(generator.next(start)) == 1ms);
    CHECK(parts_of(generator.next(start + 1ms)).sequence == 4095);
}

TEST_CASE("a grant that joins the one before does not interrupt, whatever start it names") {
    auto generator = granted({0, 1}, start, start + 3s);
    generator.grant({5, start + 3s + 1us, start + 4s});  // begins at the former horizon
    CHECK(parts_of(generator.next(start + 1s)).time == start + 1s);
    CHECK(parts_of(generator.next(start + 4s)).time == start + 4s);
}

TEST_CASE("a grant behind a gap starts at its own start: another may have held the worker id in between") {
    auto generator = granted({0, 1}, start, start + 1s);
    generator.grant({5, start + 5s, start + 8s});
    CHECK(refusal_of(generator.next(start + 2s)) == IdRefusal::clock_went_back);
    CHECK(parts_of(generator.next(start + 5s)).time == start + 5s);
}

TEST_CASE("a clock outside the years that 41 bits can name is refused") {
    auto generator = granted({0, 1}, snowflake_epoch - 1h, snowflake_end + 1h);
    CHECK(refusal_of(generator.next(snowflake_epoch)) == IdRefusal::out_of_range);
    CHECK(refusal_of(generator.next(snowflake_epoch - 1s)) == IdRefusal::out_of_range);
    CHECK(refusal_of(generator.next(snowflake_end + 1ms)) == IdRefusal::out_of_range);
    CHECK(parts_of(generator.next(snowflake_end)).time == snowflake_end);
}

namespace {

/// Worker rows as a store keeps them (protocol section 15), and processes that lease, pause, crash and have clocks of their own.
class Fleet {
public:
    explicit Fleet(unsigned seed) : random_(seed) {
        for (int i = 0; i < 4; ++i) {
            start_process(i);
        }
    }

    void step() {
        time_ += microseconds{below(1500)};
        const auto p = static_cast<int>(below(4));
        auto& process = processes_[static_cast<std::size_t>(p)];
        switch (below(40)) {
            case 0:
                start_process(p);  // a crash and a restart, with another number of loops
                return;
            case 1:
                process.clock_off += milliseconds{static_cast<std::int64_t>(below(40)) - 20};
                return;
            case 2:
                process.clock_off = milliseconds{static_cast<std::int64_t>(below(20'000)) - 10'000};
                return;
            case 3:
                time_ += milliseconds{below(12'000)};  // everybody pauses
                return;
            case 4:
            case 5:
            case 6:
                lease(process);
                return;
            default:
                draw(process);
        }
    }

    std::unordered_set<std::int64_t> ids;
    std::size_t repeated = 0;
    std::size_t refused = 0;

private:
    struct Row {
        int owner = -1;
        StoreTime lease_until;
        StoreTime high;
    };
    struct Process {
        int owner = 0;
        int held = -1;
        microseconds clock_off{0};
        std::vector<SnowflakeGenerator> loops;
    };

    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    void start_process(int p) {
        auto& process = processes_[static_cast<std::size_t>(p)];
        process.owner = ++owners_;
        process.held = -1;
        process.loops.clear();
        const auto loops = static_cast<std::uint32_t>(1 + below(3));
        for (std::uint32_t i = 0; i < loops; ++i) {
            process.loops.emplace_back(SequenceShare{i, loops});
        }
    }

    void lease(Process& process) {
        // Two worker ids for four processes, so that they change hands.
        const int wanted = process.held >= 0 ? process.held : static_cast<int>(below(2));
        auto& row = rows_[wanted];
        const bool own = row.owner == process.owner;
        if (!own && time_ < row.lease_until) {
            process.held = -1;
            return;
        }
        const auto clock = time_ + process.clock_off;
        const auto from = own ? clock : std::max(clock, row.high + 1us);
        row = {process.owner, time_ + 2s, std::max(row.high, from + 3s)};
        process.held = wanted;
        if (below(5) == 0) {
            return;  // the reply was lost
        }
        for (auto& loop : process.loops) {
            loop.grant({wanted, from, row.high});
        }
    }

    void draw(Process& process) {
        auto& loop = process.loops[below(process.loops.size())];
        for (std::uint64_t n = below(30); n > 0; --n) {
            const auto next = loop.next(time_ + process.clock_off);
            if (const auto* id = std::get_if<OperationId>(&next)) {
                if (!ids.insert(id->value).second) {
                    ++repeated;
                }
            } else {
                ++refused;
            }
        }
    }

    std::mt19937_64 random_;
    StoreTime time_ = start;
    std::map<int, Row> rows_;
    std::array<Process, 4> processes_;
    int owners_ = 0;
};

}  // namespace

TEST_CASE("ids stay unique over loops, processes, restarts, lost replies, pauses and clocks that jump") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        Fleet fleet(seed);
        for (int i = 0; i < 3000; ++i) {
            fleet.step();
        }
        CAPTURE(seed);
        CHECK(fleet.repeated == 0);
        CHECK(fleet.ids.size() > 500);
        CHECK(fleet.refused > 0);
    }
}
