#include "store_traffic.hpp"

#include "net/spawn.hpp"
#include "record_builders.hpp"

namespace onceward::test {

namespace {

constexpr seconds call_limit{30};
constexpr seconds longest_wait{120};

Deadline soon() {
    return std::chrono::steady_clock::now() + call_limit;
}

}  // namespace

void StoreTraffic::start(boost::asio::io_context& loop, store::Store& store, std::size_t loop_index) {
    open_ += tasks_a_loop;
    for (std::size_t i = 0; i < tasks_a_loop; ++i) {
        net::spawn(loop, drive(store, loop_index * tasks_a_loop + i));
    }
}

bool StoreTraffic::wait() {
    end_one();
    return all_ended_.get_future().wait_for(longest_wait) == std::future_status::ready;
}

Task<> StoreTraffic::drive(store::Store& store, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int round = 0; round < rounds_; ++round) {
        const auto number = random() % record_count;
        auto request = claim_request(number, ++owners_);
        // The memory store chooses the loop by this byte.
        request.id.bytes[8] = request.id.bytes[0];
        request.on_unknown = guard::UnknownPolicy::reforward;
        const auto reply = co_await store.claim(request, soon());
        if (!reply) {
            ++wrong_;
            continue;
        }
        if (const auto* claimed = std::get_if<guard::Claimed>(&*reply)) {
            ++claims_;
            doubled_ += holders_[number].fetch_add(1) == 0 ? 0U : 1U;
            auto action = choose_action(random);
            co_await settle(store, request, claimed->claim, std::move(action));
            continue;
        }
        store.watch(request.id);
        const auto answers = co_await store.ping(soon());
        wrong_ += answers ? 0U : 1U;
        store.unwatch(request.id);
        wrong_ += store.now() > StoreTime{} ? 0U : 1U;
    }
    end_one();
}

Task<> StoreTraffic::settle(store::Store& store, const guard::ClaimRequest& request, const guard::Claim& claim,
                            guard::Action action) {
    const auto renewal = command(request, claim, guard::Renew{});
    const auto renewed = co_await store.apply(renewal, soon());
    wrong_ += renewed && renewed->verdict == guard::CommandVerdict::applied ? 0U : 1U;
    // From here on the store may give the record to the next.
    const auto number = request.id.bytes[0];
    --holders_[number];
    const auto ending = command(request, claim, std::move(action));
    const auto ended = co_await store.apply(ending, soon());
    wrong_ += ended && ended->verdict == guard::CommandVerdict::applied ? 0U : 1U;
}

guard::Action StoreTraffic::choose_action(std::mt19937_64& random) {
    switch (random() % 16) {
        case 0:
            return guard::MarkUnknown{"reset"};
        default:
            return guard::Fail{guard::FailureKind::not_executed, "not_sent"};
    }
}

void StoreTraffic::end_one() {
    if (open_.fetch_sub(1) == 1) {
        all_ended_.set_value();
    }
}

}  // namespace onceward::test
