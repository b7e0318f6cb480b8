#include "store/redis/server_watch.hpp"

#include "net/spawn.hpp"
#include "onceward/base/clock.hpp"

#include <algorithm>
#include <utility>

namespace onceward::store::redis {

namespace {
/// A look that takes longer is given up; it must not be what makes the connection time out under load.
constexpr milliseconds patience{5'000};
}  // namespace

ServerWatch::ServerWatch(asio::io_context& loop, std::shared_ptr<Connection> connection, Keyspace keys, RedisEvents& events)
    : loop_(loop), connection_(std::move(connection)), keys_(std::move(keys)), events_(events), timer_(loop.get_executor()) {}

void ServerWatch::start() {
    timer_.expires_after(interval);
    net::spawn(loop_, run(shared_from_this()));
}

void ServerWatch::close() {
    closed_ = true;
    timer_.cancel();
}

void ServerWatch::on_open() {
    is_new_server_ = true;
    look_now();
}

void ServerWatch::look_now() {
    timer_.expires_at(std::chrono::steady_clock::now());
}

Task<> ServerWatch::run(std::shared_ptr<ServerWatch> self) {
    while (!self->closed_) {
        co_await self->timer_.async_wait(net::use_task);
        if (self->closed_) {
            break;
        }
        self->timer_.expires_after(interval);
        if (std::exchange(self->is_new_server_, false)) {
            co_await self->look_at_server();
        }
        co_await self->look_at_mark();
        if (const auto evidence = self->losses_.take_loss()) {
            self->events_.on_data_loss(*evidence);
        }
    }
}

Task<std::optional<std::string>> ServerWatch::ask(TextOperation& question) {
    co_await question.run(*connection_, std::chrono::steady_clock::now() + patience);
    co_return question.failure() ? std::nullopt : std::optional(question.text());
}

Task<> ServerWatch::look_at_server() {
    TextOperation ask_info({"INFO"});
    const auto info = co_await ask(ask_info);
    if (!info) {
        co_return;
    }
    auto facts = parse_info(*info);
    TextOperation ask_save({"CONFIG", "GET", "save"});
    facts.save_points = co_await ask(ask_save);
    report(advise(facts));
    losses_.on_server(facts);
}

Task<> ServerWatch::look_at_mark() {
    TextOperation ask_mark({"GET", keys_.epoch()});
    const auto mark = co_await ask(ask_mark);
    if (!mark || is_new_server_) {
        // What another server says is weighed once it is known which one it is.
        co_return;
    }
    losses_.on_mark(ask_mark.is_nil() ? std::nullopt : std::optional<std::string_view>(*mark));
    if (!ask_mark.is_nil()) {
        co_return;
    }
    // Any text will do that no one chose before: the time, and the connection's own number against another process at the same
    // time.
    TextOperation ask_id({"CLIENT", "ID"});
    const auto id = co_await ask(ask_id);
    const auto chosen = std::to_string(to_micros(base::wall_clock())) + '-' + id.value_or("");
    // The reply is the mark that another chose meanwhile, or nil.
    TextOperation set_mark({"SET", keys_.epoch(), chosen, "NX", "GET"});
    const auto other = co_await ask(set_mark);
    if (other) {
        losses_.on_mark(set_mark.is_nil() ? chosen : *other);
    }
}

void ServerWatch::report(std::vector<Advice> advice) {
    for (const auto& item : advice) {
        if (std::find(given_.begin(), given_.end(), item) == given_.end()) {
            events_.on_notice(config::LogLevel::warn, item.event, item.detail);
        }
    }
    given_ = std::move(advice);
}

}  // namespace onceward::store::redis
