#include "proxy/execution.hpp"

#include "proxy/loop.hpp"
#include "proxy/pieces.hpp"

namespace onceward::proxy {

namespace {
/// Buffers of a finished execution that grew beyond this are freed: memory follows the load down.
constexpr std::size_t kept_capacity = 64 * 1024;

void empty(std::string& text) {
    if (text.capacity() > kept_capacity) {
        text = std::string{};
    }
    text.clear();
}
}  // namespace

Execution::Execution(Loop& owner) : loop(owner), sent(owner.io), heartbeat(*this), delivery(owner.io) {
    clear();
}

void Execution::clear() {
    protection = Protection::guarded;
    rules.reset();
    route = nullptr;
    request.clear();
    request_head.clear();
    request_body.clear();
    slot = upstream::Slot{};
    sent.take();
    sending = false;
    net::Deadlines::clear(heartbeat);
    renewing = false;
    settling = false;
    settled = false;
    other.reset();
    abandoned = false;
    response.clear();
    judgement.reset();
    auto& recorded = recording();
    recorded.status = 0;
    recorded.head.clear();
    empty(recorded.body);
    recorded.truncated = false;
    recorded.bytes_in_pieces = 0;
    content_at = 0;
    stored_to = 0;
    truncated = false;
    pieces_spare = false;
    upstream_time = std::chrono::microseconds{-1};
    store_time = std::chrono::microseconds{0};
    delivery.stage = DeliveryStage::waiting;
    delivery.attached = false;
    delivery.interim.clear();
    delivery.taken = 0;
    delivery.retry_after = milliseconds{0};
    delivery.recorded = reply::Recorded::yes;
    delivery.changed.take();
    delivery.room.take();
}

guard::RecordedResponse& Execution::recording() {
    // The answer is received into the very command that will record it: nothing is copied for the store.
    if (!std::holds_alternative<guard::Complete>(command.action)) {
        command.action.emplace<guard::Complete>();
    }
    return std::get<guard::Complete>(command.action).response;
}

void Execution::show(DeliveryStage stage) {
    delivery.stage = stage;
    delivery.changed.set();
}

void intrusive_ptr_release(Execution* execution) {
    if (--execution->references_ == 0) {
        execution->loop.executions.recycle(*execution);
    }
}

ExecutionRegistry::~ExecutionRegistry() {
    // Coroutines that held executions are destroyed with their loop's queue, before the loop's members: what is still listed here
    // was never given back.
    open_.clear_and_dispose([](Execution* execution) { delete execution; });
}

ExecutionPtr ExecutionRegistry::make() {
    std::unique_ptr<Execution> execution;
    if (spare_.empty()) {
        execution = std::make_unique<Execution>(loop_);
    } else {
        execution = std::move(spare_.back());
        spare_.pop_back();
    }
    open_.push_back(*execution);
    ++open_count_;
    loop_.metrics.executions_open.add(1);
    return {execution.release()};
}

void ExecutionRegistry::recycle(Execution& execution) {
    open_.erase(open_.iterator_to(execution));
    --open_count_;
    loop_.metrics.executions_open.add(-1);
    std::unique_ptr<Execution> owned(&execution);
    owned->clear();
    if (spare_.size() < spare_max) {
        spare_.push_back(std::move(owned));
    }
}

void ExecutionRegistry::abandon_all() {
    for (auto& execution : open_) {
        execution.abandoned = true;
        if (execution.slot.valid() && execution.slot.connected()) {
            execution.slot.stream().cancel();
        }
        execution.delivery.room.set();
    }
}

Task<> execute(ExecutionPtr execution) {
    auto& e = *execution;
    e.started = std::chrono::steady_clock::now();
    if (e.guarded()) {
        e.loop.deadlines.set(e.heartbeat, e.command.lifetimes.lease / 3);
    }
    const guard::Ending ending = co_await exchange(e);
    e.slot.give_back();
    co_await settle(e, ending);
    e.settled = true;
    net::Deadlines::clear(e.heartbeat);
    if (e.pieces_spare) {
        co_await discard_pieces(e);
    }
}

}  // namespace onceward::proxy
