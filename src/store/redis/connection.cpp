#include "store/redis/connection.hpp"

#include "net/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <utility>

namespace onceward::store::redis {

using std::chrono::steady_clock;

namespace {

/// An attempt to open a connection may take this long although the store's timeout is shorter: it serves more than one command.
constexpr milliseconds shortest_attempt{1'000};
/// An output buffer that grew beyond this is given back once it was sent.
constexpr std::size_t kept_capacity = 256 * std::size_t{1024};
/// Between two lines about commands that the server refuses.
constexpr seconds between_refusals{10};

std::uint64_t seed_of(const void* object) {
    return static_cast<std::uint64_t>(steady_clock::now().time_since_epoch().count()) ^ reinterpret_cast<std::uintptr_t>(object);
}

}  // namespace

Connection::Connection(asio::io_context& loop, const config::Store& options, RedisEvents& events)
    : loop_(loop),
      options_(options),
      events_(events),
      dialer_(loop, options.redis),
      socket_(loop.get_executor()),
      timer_(loop.get_executor()),
      pause_timer_(loop.get_executor()),
      backoff_(seed_of(this)),
      script_loads_{ScriptLoad(claim_script), ScriptLoad(command_script)} {}

void Connection::start(ConnectionObserver& observer) {
    observer_ = &observer;
    net::spawn(loop_, run(shared_from_this()));
}

void Connection::close() {
    closed_ = true;
    timer_.cancel();
    pause_timer_.cancel();
    close_socket();
    while (auto* command = machine_.take_any()) {
        command->abandon();
    }
}

Task<> Connection::run(std::shared_ptr<Connection> self) {
    while (!self->closed_) {
        auto failure = co_await self->open();
        if (self->closed_) {
            break;
        }
        if (failure.empty()) {
            self->opened();
            const auto ec = co_await self->read();
            failure = ec ? ec.message() : "closed";
            if (self->closed_) {
                break;
            }
        }
        self->close_socket();
        self->report(failure);
        if (self->machine_.is_refused()) {
            self->backoff_.next();
        }
        const auto pause = self->backoff_.next();
        self->machine_.on_closed(steady_clock::now() + pause);
        self->end_commands();
        co_await self->pause(pause);
    }
}

Task<DialFailure> Connection::open() {
    machine_.on_opening();
    attempt_ends_ = steady_clock::now() + std::max(options_.timeout, shortest_attempt);
    arm(attempt_ends_);
    auto failure = co_await dialer_.dial(socket_);
    const bool was_cut_off = std::exchange(attempt_ends_, Deadline::max()) == Deadline::max();
    co_return failure.empty() || !was_cut_off ? failure : DialFailure{"no answer in time"};
}

void Connection::opened() {
    if (std::exchange(is_away_, false)) {
        events_.on_notice(config::LogLevel::info, "store_connected", config::to_text(options_.redis.address));
    }
    const auto deadline = steady_clock::now() + std::max(options_.timeout, shortest_attempt);
    for (auto& load : script_loads_) {
        load.deadline = deadline;
    }
    machine_.on_open({script_loads_.data(), script_loads_.data() + 1});
    arm(deadline);
    observer_->on_open();
    schedule_turn();
}

void Connection::report(const std::string& failure) {
    if (!std::exchange(is_away_, true)) {
        events_.on_notice(config::LogLevel::warn, "store_disconnected", config::to_text(options_.redis.address) + ": " + failure);
    }
}

/// In the server's own words, which an operator needs: for the request it is one of few errors.
void Connection::report_refusal() {
    const auto refusal = machine_.take_refusal();
    const auto now = steady_clock::now();
    if (!refusal.empty() && now >= refusal_told_ + between_refusals) {
        refusal_told_ = now;
        events_.on_notice(config::LogLevel::warn, "store_refused", refusal);
    }
}

Task<boost::system::error_code> Connection::read() {
    for (;;) {
        const auto [ec, size] = co_await socket_.async_read_some(asio::buffer(input_), net::use_task);
        if (ec) {
            co_return ec;
        }
        machine_.on_bytes({input_.data(), size});
        if (machine_.take_success()) {
            backoff_.reset();
        }
        report_refusal();
        end_commands();
        if (machine_.has_output()) {
            schedule_turn();
        }
        if (closed_ || machine_.is_spent()) {
            co_return boost::system::error_code{};
        }
    }
}

Task<> Connection::pause(milliseconds pause) {
    if (pause.count() > 0 && !closed_) {
        pause_timer_.expires_after(pause);
        co_await pause_timer_.async_wait(net::use_task);
    }
}

void Connection::submit(PendingCommand& command) {
    machine_.submit(command);
    arm(command.deadline);
    schedule_turn();
}

void Connection::schedule_turn() {
    if (!std::exchange(turn_scheduled_, true)) {
        asio::post(loop_.get_executor(), [self = shared_from_this()] { self->turn(); });
    }
}

void Connection::turn() {
    turn_scheduled_ = false;
    if (!closed_) {
        flush();
        end_commands();
    }
}

void Connection::flush() {
    if (is_writing_ || !socket_.is_open() || !machine_.take_batch(sending_)) {
        return;
    }
    boost::system::error_code ec;
    const auto sent = socket_.write_some(asio::buffer(sending_), ec);
    sending_.erase(0, sent);
    if (!sending_.empty()) {
        write_rest();
    } else if (sending_.capacity() > kept_capacity) {
        sending_ = std::string{};
    }
}

void Connection::write_rest() {
    is_writing_ = true;
    asio::async_write(socket_, asio::buffer(sending_), [self = shared_from_this()](boost::system::error_code, std::size_t) {
        self->is_writing_ = false;
        self->sending_.clear();
        // An error shows itself to the reader, which opens the connection again; by now it may have done so.
        self->turn();
    });
}

void Connection::end_commands() {
    while (auto* command = machine_.take_ended()) {
        command->end();
    }
}

void Connection::close_socket() {
    dialer_.cancel(socket_);
}

void Connection::arm(Deadline deadline) {
    if (deadline >= armed_for_) {
        return;
    }
    armed_for_ = deadline;
    timer_.expires_at(deadline);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        if (!ec && !self->closed_) {
            self->on_timer();
        }
    });
}

void Connection::on_timer() {
    armed_for_ = Deadline::max();
    const auto now = steady_clock::now();
    if (attempt_ends_ <= now) {
        attempt_ends_ = Deadline::max();
        close_socket();
    }
    machine_.on_time(now);
    if (machine_.is_spent()) {
        close_socket();
    }
    end_commands();
    arm(std::min(attempt_ends_, machine_.next_deadline().value_or(Deadline::max())));
}

}  // namespace onceward::store::redis
