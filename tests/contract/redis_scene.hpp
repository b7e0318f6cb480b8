#pragma once

#include "net/spawn.hpp"
#include "onceward/base/hex.hpp"
#include "onceward/store/redis_store.hpp"
#include "record_builders.hpp"
#include "redis_server.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace onceward::contract {

/// Remembers what was noticed.
class NotedEvents final : public store::RedisEvents {
public:
    void on_data_loss(std::string_view evidence) override { losses.emplace_back(evidence); }
    void on_notice(config::LogLevel /*level*/, std::string_view event, std::string_view detail) override {
        notices.push_back(std::string(event) + ": " + std::string(detail));
    }
    [[nodiscard]] bool noticed(std::string_view text) const {
        for (const auto& notice : notices) {
            if (notice.find(text) != std::string::npos) {
                return true;
            }
        }
        return false;
    }
    std::vector<std::string> losses;
    std::vector<std::string> notices;
};

class NotedChanges final : public store::ChangeSink {
public:
    void on_change(const RecordId& id) override { ++counts[id]; }
    std::map<RecordId, int> counts;
};

/// One store on one loop that the test's own thread runs, while it waits for something.
class RedisScene {
public:
    static constexpr seconds longest_wait{10};

    explicit RedisScene(const config::Store& options) : store_(store::make_redis_store(loop_, options, changes, events)) {}

    store::Store& redis() { return *store_; }
    boost::asio::io_context& loop() { return loop_; }

    /// Runs the loop until the call has ended.
    template <typename T>
    T wait(Task<T> call) {
        std::optional<T> result;
        start(std::move(call), result);
        run_until([&] { return result.has_value(); });
        return std::move(*result);
    }
    /// Begins a call; `result` is set when it has ended.
    template <typename T>
    void start(Task<T> call, std::optional<T>& result) {
        net::spawn(loop_, std::move(call), [&result](std::exception_ptr failure, std::optional<T> value) {
            if (failure) {
                std::rethrow_exception(failure);
            }
            result = std::move(value);
        });
    }
    void run_until(const std::function<bool()>& done) {
        const auto end = std::chrono::steady_clock::now() + longest_wait;
        while (!done()) {
            if (std::chrono::steady_clock::now() > end) {
                throw std::runtime_error("waited in vain");
            }
            loop_.run_one_for(milliseconds{5});
        }
    }
    /// Lets the loop do what is ready.
    void poll() { loop_.poll(); }

    Result<guard::ClaimReply> claim(const guard::ClaimRequest& request, milliseconds limit = seconds{2}) {
        return wait(store_->claim(request, std::chrono::steady_clock::now() + limit));
    }
    Result<guard::CommandReply> apply(const guard::Command& command, milliseconds limit = seconds{2}) {
        return wait(store_->apply(command, std::chrono::steady_clock::now() + limit));
    }
    Result<void> ping(milliseconds limit = seconds{2}) { return wait(store_->ping(std::chrono::steady_clock::now() + limit)); }
    /// A claim that must win.
    guard::Claim win(const guard::ClaimRequest& request) {
        const auto reply = claim(request);
        return std::get<guard::Claimed>(reply.value()).claim;
    }
    /// Claims and completes.
    void complete(const guard::ClaimRequest& request, guard::RecordedResponse response = test::response()) {
        apply(test::command(request, win(request), guard::Complete{std::move(response)})).value();
    }

private:
    boost::asio::io_context loop_{1};

public:
    NotedEvents events;
    NotedChanges changes;

private:
    std::unique_ptr<store::Store> store_;
};

/// The record's key, and that of its content.
inline std::string key_of(const guard::ClaimRequest& request, std::string_view suffix = {}) {
    return "test:{" + request.route + ":" + base::to_hex(request.id.bytes) + "}" + std::string(suffix);
}

/// The words of a stored record by their names in start.lua, those of `identity` apart.
class StoredWords {
public:
    StoredWords(const RedisServer& server, std::string key) : server_(server), key_(std::move(key)) {
        std::istringstream text(server_.command({"GET", key_}));
        for (auto* word : {"version", "state", "may", "owner", "until"}) {
            text >> words_[word];
        }
        std::string identity;
        text >> identity;
        std::size_t at = 0;
        for (const auto& [part, size] : identity_parts) {
            words_[part] = identity.substr(at, size);
            at += size;
        }
        for (auto* word : {"last_owner", "fence", "attempt", "operation_id", "created_at"}) {
            text >> words_[word];
        }
        text.ignore();
        std::getline(text, words_["parts"]);
        for (auto* word : {"updated_at", "other", "forget_at", "failure"}) {
            text >> words_[word];
        }
        auto& answer = words_["answer"];
        if (text.get() == ' ') {
            std::getline(text, answer);
        }
        std::getline(text, words_["evidence"]);
    }
    std::string& operator[](const std::string& name) { return words_.at(name); }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& [name, word] : words_) {
            all.push_back(name);
        }
        return all;
    }
    void write() {
        constexpr std::size_t state_width = 10;
        auto& word = words_;
        auto state = word["state"];
        state.resize(std::max(state.size(), state_width), ' ');
        std::string identity;
        for (const auto& [part, size] : identity_parts) {
            identity += word[part];
        }
        auto text =
            word["version"] + ' ' + state + ' ' + word["may"] + ' ' + word["owner"] + ' ' + word["until"] + ' ' + identity;
        for (auto* name : {"last_owner", "fence", "attempt", "operation_id", "created_at", "parts"}) {
            text += ' ' + word[name];
        }
        text += '\n' + word["updated_at"] + ' ' + word["other"] + ' ' + word["forget_at"] + ' ' + word["failure"];
        text += (word["answer"].empty() ? "" : " " + word["answer"]) + '\n' + word["evidence"];
        server_.command({"SET", key_, text, "KEEPTTL"});
    }

private:
    static constexpr std::pair<const char*, std::size_t> identity_parts[] = {
        {"fingerprint_version", 16}, {"fingerprint", 64}, {"raw", 64}, {"caller", 64}};
    const RedisServer& server_;
    std::string key_;
    std::map<std::string, std::string> words_;
};

}  // namespace onceward::contract
