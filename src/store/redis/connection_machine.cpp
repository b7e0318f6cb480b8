#include "store/redis/connection_machine.hpp"

#include "store/redis/error_reply.hpp"

#include <algorithm>
#include <utility>

namespace onceward::store::redis {

namespace {
constexpr std::size_t refusal_bytes_max = 200;
}  // namespace

void ConnectionMachine::on_opening() {
    state_ = State::opening;
}

void ConnectionMachine::on_open(std::initializer_list<PendingCommand*> first) {
    state_ = State::open;
    reader_.reset();
    output_.clear();
    written_ = 0;
    answered_ = 0;
    batch_ends_.fill(0);
    for (auto* command : first) {
        send(*command);
    }
    Queue waiting;
    waiting.swap(waiting_);
    while (!waiting.empty()) {
        auto& command = waiting.front();
        waiting.pop_front();
        send(command);
    }
}

void ConnectionMachine::on_closed(Deadline next_attempt) {
    const bool was_open = state_ == State::open;
    state_ = State::closed;
    next_attempt_ = next_attempt;
    spent_ = false;
    refused_ = false;
    output_.clear();
    fail_where(sent_, StoreErrc::lost, [](const PendingCommand&) { return true; });
    // A command waits for one attempt: while a server is away its callers hear so at once.
    fail_where(waiting_, StoreErrc::unavailable,
               [&](const PendingCommand& command) { return !was_open || command.deadline < next_attempt; });
}

void ConnectionMachine::submit(PendingCommand& command) {
    if (state_ == State::open && !spent_) {
        send(command);
    } else if (state_ == State::closed && next_attempt_ > command.deadline) {
        fail(command, StoreErrc::unavailable);
    } else {
        waiting_.push_back(command);
    }
}

void ConnectionMachine::send(PendingCommand& command) {
    command.write(output_);
    ++written_;
    sent_.push_back(command);
}

bool ConnectionMachine::take_batch(std::string& batch) {
    if (output_.empty() || answered_ < batch_ends_.front()) {
        return false;
    }
    batch.swap(output_);
    std::rotate(batch_ends_.begin(), batch_ends_.begin() + 1, batch_ends_.end());
    batch_ends_.back() = written_;
    return true;
}

void ConnectionMachine::on_bytes(std::string_view bytes) {
    reader_.feed(bytes);
    while (const auto* reply = reader_.next()) {
        match(*reply);
    }
    if (reader_.is_broken()) {
        spend();
    }
}

void ConnectionMachine::match(const Reply& reply) {
    if (reply.is_error()) {
        note_error(reply.value().text);
    } else {
        success_ = true;
    }
    if (sent_.empty()) {
        // Nobody asked: the server's last word before it closes, or replies that belong to nothing.
        spent_ = true;
        return;
    }
    auto& command = sent_.front();
    sent_.pop_front();
    ++answered_;
    command.on_reply(reply);
    ended_.push_back(command);
}

void ConnectionMachine::note_error(std::string_view text) {
    const auto error = classify(text);
    if (error.action == ErrorAction::reconnect) {
        refused_ = true;
        spent_ = true;
    } else if (error.errc == StoreErrc::rejected) {
        refusal_ = text.substr(0, refusal_bytes_max);
    }
}

void ConnectionMachine::on_time(Deadline now) {
    const auto is_over = [now](const PendingCommand& command) { return command.deadline <= now; };
    fail_where(waiting_, StoreErrc::unavailable, is_over);
    if (std::any_of(sent_.begin(), sent_.end(), is_over)) {
        fail_where(sent_, StoreErrc::timed_out, is_over);
        spend();
    }
}

void ConnectionMachine::spend() {
    spent_ = true;
    fail_where(sent_, StoreErrc::lost, [](const PendingCommand&) { return true; });
}

bool ConnectionMachine::take_success() {
    return std::exchange(success_, false);
}

std::string ConnectionMachine::take_refusal() {
    return std::exchange(refusal_, {});
}

std::optional<Deadline> ConnectionMachine::next_deadline() const {
    std::optional<Deadline> earliest;
    for (const auto* queue : {&sent_, &waiting_}) {
        for (const auto& command : *queue) {
            earliest = earliest ? std::min(*earliest, command.deadline) : command.deadline;
        }
    }
    return earliest;
}

void ConnectionMachine::fail(PendingCommand& command, StoreErrc errc) {
    command.on_failure(errc);
    ended_.push_back(command);
}

template <typename Predicate>
void ConnectionMachine::fail_where(Queue& queue, StoreErrc errc, Predicate applies) {
    Queue all;
    all.swap(queue);
    while (!all.empty()) {
        auto& command = all.front();
        all.pop_front();
        if (applies(command)) {
            fail(command, errc);
        } else {
            queue.push_back(command);
        }
    }
}

PendingCommand* ConnectionMachine::take_ended() {
    if (ended_.empty()) {
        return nullptr;
    }
    auto& command = ended_.front();
    ended_.pop_front();
    return &command;
}

PendingCommand* ConnectionMachine::take_any() {
    for (auto* queue : {&sent_, &waiting_, &ended_}) {
        if (!queue->empty()) {
            auto& command = queue->front();
            queue->pop_front();
            return &command;
        }
    }
    return nullptr;
}

}  // namespace onceward::store::redis
