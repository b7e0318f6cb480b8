#include "store/redis/subscriber.hpp"

#include "net/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace onceward::store::redis {

namespace {
constexpr milliseconds attempt_limit{2'000};
}

Subscriber::Subscriber(asio::io_context& loop, const config::Store& options, ChangeSink& changes)
    : loop_(loop),
      keys_(options.prefix),
      changes_(changes),
      dialer_(loop, options.redis),
      socket_(loop.get_executor()),
      timer_(loop.get_executor()),
      backoff_(reinterpret_cast<std::uintptr_t>(this)) {}

void Subscriber::close() {
    closed_ = true;
    timer_.cancel();
    close_socket();
}

void Subscriber::watch(const RecordId& id) {
    if (++watched_[id] > 1) {
        return;
    }
    if (is_open_) {
        send("SUBSCRIBE", id);
    } else if (!std::exchange(is_running_, true)) {
        net::spawn(loop_, run(shared_from_this()));
    }
}

void Subscriber::unwatch(const RecordId& id) {
    const auto found = watched_.find(id);
    if (found == watched_.end() || --found->second > 0) {
        return;
    }
    watched_.erase(found);
    if (is_open_) {
        send("UNSUBSCRIBE", id);
    }
}

/// Ends when a connection is lost that nobody needs; the next watch starts it again.
Task<> Subscriber::run(std::shared_ptr<Subscriber> self) {
    while (!self->closed_ && !self->watched_.empty()) {
        self->timer_.expires_after(attempt_limit);
        self->timer_.async_wait([self](boost::system::error_code ec) {
            if (!ec) {
                self->close_socket();
            }
        });
        const auto failure = co_await self->dialer_.dial(self->socket_);
        self->timer_.cancel();
        if (failure.empty() && !self->closed_) {
            self->subscribe_all();
            co_await self->listen();
            self->is_open_ = false;
        }
        self->close_socket();
        if (!self->closed_) {
            self->timer_.expires_after(self->backoff_.next());
            co_await self->timer_.async_wait(net::use_task);
        }
    }
    self->is_running_ = false;
}

Task<> Subscriber::listen() {
    while (!closed_) {
        const auto [ec, size] = co_await socket_.async_read_some(asio::buffer(input_), net::use_task);
        if (ec) {
            co_return;
        }
        reader_.feed({input_.data(), size});
        while (const auto* reply = reader_.next()) {
            on_message(*reply);
        }
        if (reader_.is_broken()) {
            co_return;
        }
    }
}

/// `subscribe`, channel, count: what changed between the waiter's look at the record and now was missed, so it looks again.
/// `message`, channel, state: the change itself.
void Subscriber::on_message(const Reply& reply) {
    constexpr std::size_t size = 3;
    if (!reply.is_array || reply.values.size() != size) {
        return;
    }
    backoff_.reset();
    const auto kind = reply.values[0].text;
    RecordId id;
    if ((kind == "message" || kind == "subscribe") && keys_.parse_channel(reply.values[1].text, id) && watched_.contains(id)) {
        changes_.on_change(id);
    }
}

void Subscriber::subscribe_all() {
    is_open_ = true;
    reader_.reset();
    output_.clear();
    for (const auto& [id, count] : watched_) {
        send("SUBSCRIBE", id);
    }
}

void Subscriber::send(std::string_view command, const RecordId& id) {
    append_command(output_, {command, keys_.channel(id)});
    schedule_flush();
}

void Subscriber::schedule_flush() {
    if (!std::exchange(flush_scheduled_, true)) {
        asio::post(loop_.get_executor(), [self = shared_from_this()] {
            self->flush_scheduled_ = false;
            self->flush();
        });
    }
}

void Subscriber::flush() {
    if (closed_ || !is_open_ || is_writing_ || output_.empty()) {
        return;
    }
    is_writing_ = true;
    sending_.swap(output_);
    asio::async_write(socket_, asio::buffer(sending_), [self = shared_from_this()](boost::system::error_code, std::size_t) {
        self->is_writing_ = false;
        self->sending_.clear();
        self->flush();
    });
}

void Subscriber::close_socket() {
    dialer_.cancel(socket_);
}

}  // namespace onceward::store::redis
