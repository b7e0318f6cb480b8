#include "store/redis/connection_machine.hpp"

#include "catch.hpp"
#include "store/redis/command.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace onceward::store::redis {

namespace {

constexpr Deadline start{};

std::string name_of(StoreErrc errc) {
    switch (errc) {
        case StoreErrc::unavailable:
            return "unavailable";
        case StoreErrc::timed_out:
            return "timed out";
        case StoreErrc::lost:
            return "lost";
        case StoreErrc::corrupt:
            return "corrupt";
        case StoreErrc::rejected:
            return "rejected";
        case StoreErrc::bad_cursor:
            return "bad cursor";
    }
    return "?";
}

class Conversation;

class NotedCommand final : public PendingCommand {
public:
    NotedCommand(Conversation& conversation, std::string name) : conversation_(conversation), name_(std::move(name)) {}
    void write(std::string& out) override { out += name_ + " "; }
    void on_reply(const Reply& reply) override { outcome_ = reply.values.empty() ? "empty" : std::string(reply.value().text); }
    void on_failure(StoreErrc errc) override { outcome_ = name_of(errc); }
    void end() override;
    void abandon() override { outcome_ = "abandoned"; }
    std::function<void()> on_end;

private:
    Conversation& conversation_;
    std::string name_;
    std::string outcome_;
};

/// A machine and what its commands were told, as text: `a: OK`.
class Conversation {
public:
    ConnectionMachine machine;

    Conversation() = default;
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;
    ~Conversation() {
        while (machine.take_any() != nullptr) {
        }
    }

    NotedCommand& submit(const std::string& name, milliseconds deadline = milliseconds{500}) {
        auto& command = commands_.emplace_back(*this, name);
        command.deadline = start + deadline;
        machine.submit(command);
        return command;
    }
    std::string sent() {
        std::string batch;
        machine.take_batch(batch);
        return batch;
    }
    std::string ended() {
        while (auto* command = machine.take_ended()) {
            command->end();
        }
        return std::exchange(ended_, {});
    }
    void note(const std::string& what) { ended_ += (ended_.empty() ? "" : ", ") + what; }

private:
    std::deque<NotedCommand> commands_;
    std::string ended_;
};

void NotedCommand::end() {
    conversation_.note(name_ + ": " + outcome_);
    if (on_end) {
        on_end();
    }
}

void open(Conversation& talk) {
    talk.machine.on_opening();
    talk.machine.on_open();
}

}  // namespace

TEST_CASE("commands that come while two batches are under way gather for the next") {
    Conversation talk;
    open(talk);
    talk.submit("a");
    CHECK(talk.sent() == "a ");
    talk.submit("b");
    talk.submit("c");
    CHECK(talk.sent() == "b c ");
    talk.submit("d");
    CHECK(talk.sent().empty());
    CHECK(talk.machine.has_output());
    talk.submit("e");
    talk.machine.on_bytes("+1\r\n");
    CHECK(talk.sent() == "d e ");
    talk.submit("f");
    talk.machine.on_bytes("+2\r\n");
    CHECK(talk.sent().empty());
    talk.machine.on_bytes("+3\r\n");
    CHECK(talk.sent() == "f ");
    CHECK(talk.ended() == "a: 1, b: 2, c: 3");
}

TEST_CASE("a new connection owes nothing for the batches of the last") {
    Conversation talk;
    open(talk);
    for (const auto* name : {"a", "b", "c"}) {
        talk.submit(name);
        talk.sent();
    }
    talk.machine.on_closed(start);
    open(talk);
    talk.submit("d");
    CHECK(talk.sent() == "d ");
    talk.submit("e");
    CHECK(talk.sent() == "e ");
}

TEST_CASE("replies belong to commands in their order") {
    Conversation talk;
    open(talk);
    talk.submit("a");
    talk.submit("b");
    talk.submit("c");
    CHECK(talk.sent() == "a b c ");
    talk.machine.on_bytes("+1\r\n-ERR 2\r\n");
    CHECK(talk.ended() == "a: 1, b: ERR 2");
    talk.machine.on_bytes("$1\r\n3\r\n");
    CHECK(talk.ended() == "c: 3");
    CHECK_FALSE(talk.machine.is_spent());
}

TEST_CASE("replies belong to the same commands wherever the input is cut") {
    const std::string input = "+1\r\n*2\r\n$3\r\nabc\r\n:4\r\n$-1\r\n+4\r\n";
    for (std::size_t cut = 0; cut <= input.size(); ++cut) {
        INFO("cut at " << cut);
        Conversation talk;
        open(talk);
        for (const auto* name : {"a", "b", "c", "d"}) {
            talk.submit(name);
        }
        talk.machine.on_bytes(input.substr(0, cut));
        auto ended = talk.ended();
        talk.machine.on_bytes(input.substr(cut));
        const auto rest = talk.ended();
        ended += (ended.empty() || rest.empty() ? "" : ", ") + rest;
        CHECK(ended == "a: 1, b: abc, c: , d: 4");
    }
}

TEST_CASE("a command that timed out spends the connection, and takes the others along as lost") {
    Conversation talk;
    open(talk);
    talk.submit("a", milliseconds{100});
    talk.submit("b", milliseconds{200});
    talk.machine.on_time(start + milliseconds{99});
    CHECK(talk.ended().empty());
    talk.machine.on_time(start + milliseconds{100});
    CHECK(talk.ended() == "a: timed out, b: lost");
    CHECK(talk.machine.is_spent());

    SECTION("its late reply reaches no other command") {
        talk.submit("c");
        talk.machine.on_bytes("+late\r\n");
        CHECK(talk.ended().empty());
        talk.machine.on_closed(start);
        CHECK(talk.ended().empty());
        open(talk);
        CHECK(talk.sent() == "c ");
        talk.machine.on_bytes("+own\r\n");
        CHECK(talk.ended() == "c: own");
    }
    SECTION("half a reply of the old connection is no part of the new one") {
        talk.machine.on_bytes("$10\r\nabc");
        talk.machine.on_closed(start);
        open(talk);
        talk.submit("c");
        talk.machine.on_bytes("+own\r\n");
        CHECK(talk.ended() == "c: own");
    }
}

TEST_CASE("a connection that ends loses what was sent and keeps what was not") {
    Conversation talk;
    open(talk);
    talk.submit("a").on_end = [&] { talk.submit("a again"); };
    talk.machine.on_time(start + milliseconds{500});
    CHECK(talk.ended() == "a: timed out");
    talk.machine.on_closed(start + milliseconds{499});
    CHECK(talk.ended().empty());
    open(talk);
    CHECK(talk.sent() == "a again ");
}

TEST_CASE("unsent output does not reach the next connection") {
    Conversation talk;
    open(talk);
    talk.submit("a");
    talk.machine.on_closed(start);
    CHECK(talk.ended() == "a: lost");
    open(talk);
    CHECK(talk.sent().empty());
}

TEST_CASE("without a connection a command waits for one attempt, if that can begin in time") {
    Conversation talk;
    talk.machine.on_opening();
    talk.machine.on_closed(start + milliseconds{300});
    SECTION("too late: it fails at once, as not sent") {
        talk.submit("a", milliseconds{299});
        CHECK(talk.ended() == "a: unavailable");
    }
    SECTION("in time: it is sent when the connection opens") {
        talk.submit("a", milliseconds{300});
        CHECK(talk.ended().empty());
        open(talk);
        CHECK(talk.sent() == "a ");
    }
    SECTION("the attempt fails: so does the command, as not sent") {
        talk.submit("a", milliseconds{1'000});
        talk.machine.on_opening();
        talk.submit("b", milliseconds{1'000});
        talk.machine.on_closed(start + milliseconds{400});
        CHECK(talk.ended() == "a: unavailable, b: unavailable");
    }
    SECTION("its own deadline passes: it fails as not sent") {
        talk.machine.on_opening();
        talk.submit("a", milliseconds{400});
        talk.submit("b", milliseconds{500});
        talk.machine.on_time(start + milliseconds{400});
        CHECK(talk.ended() == "a: unavailable");
        open(talk);
        CHECK(talk.sent() == "b ");
    }
}

TEST_CASE("what the connection needs itself goes out before what waited for it") {
    Conversation talk;
    talk.machine.on_opening();
    talk.submit("a");
    NotedCommand first(talk, "load");
    talk.machine.on_open({&first});
    CHECK(talk.sent() == "load a ");
    talk.machine.on_bytes("+1\r\n+2\r\n");
    CHECK(talk.ended() == "load: 1, a: 2");
}

TEST_CASE("a server that will not do is left after its replies were read") {
    const auto error =
        GENERATE(as<std::string>{}, "READONLY You can't write", "MASTERDOWN Link", "NOAUTH Authentication required.");
    Conversation talk;
    open(talk);
    talk.submit("a");
    talk.submit("b");
    talk.submit("c");
    talk.machine.on_bytes("-" + error + "\r\n+2\r\n");
    CHECK(talk.ended() == "a: " + error + ", b: 2");
    CHECK(talk.machine.is_spent());
    CHECK(talk.machine.is_refused());
    talk.machine.on_closed(start);
    CHECK(talk.ended() == "c: lost");
    CHECK_FALSE(talk.machine.is_spent());
    CHECK_FALSE(talk.machine.is_refused());
}

TEST_CASE("an error of the command alone leaves the connection in use") {
    Conversation talk;
    open(talk);
    talk.submit("a");
    talk.machine.on_bytes("-NOSCRIPT No matching script.\r\n");
    CHECK(talk.ended() == "a: NOSCRIPT No matching script.");
    CHECK_FALSE(talk.machine.is_spent());
    CHECK_FALSE(talk.machine.take_success());
    talk.submit("b");
    talk.machine.on_bytes("+OK\r\n");
    CHECK(talk.ended() == "b: OK");
    CHECK(talk.machine.take_success());
    CHECK_FALSE(talk.machine.take_success());
}

TEST_CASE("a reply that nobody asked for spends the connection") {
    Conversation talk;
    open(talk);
    talk.machine.on_bytes("-ERR max number of clients reached\r\n");
    CHECK(talk.machine.is_spent());
}

TEST_CASE("input that is not RESP spends the connection") {
    Conversation talk;
    open(talk);
    talk.submit("a");
    talk.submit("b");
    talk.machine.on_bytes("+1\r\nHTTP/1.1 400 Bad Request\r\n");
    CHECK(talk.ended() == "a: 1, b: lost");
    CHECK(talk.machine.is_spent());
}

TEST_CASE("the next deadline is the earliest of sent and waiting commands") {
    Conversation talk;
    CHECK_FALSE(talk.machine.next_deadline());
    talk.machine.on_opening();
    talk.submit("a", milliseconds{300});
    CHECK(talk.machine.next_deadline() == start + milliseconds{300});
    talk.machine.on_open();
    talk.submit("b", milliseconds{200});
    CHECK(talk.machine.next_deadline() == start + milliseconds{200});
    talk.machine.on_bytes("+1\r\n+2\r\n");
    CHECK_FALSE(talk.machine.next_deadline());
}

TEST_CASE("commands can be taken back wherever they are") {
    Conversation talk;
    open(talk);
    talk.submit("ended");
    talk.machine.on_bytes("+1\r\n");
    talk.submit("sent");
    talk.submit("timed out", milliseconds{1});
    talk.machine.on_time(start + milliseconds{1});
    talk.submit("waiting");
    int count = 0;
    while (talk.machine.take_any() != nullptr) {
        ++count;
    }
    CHECK(count == 4);
    CHECK(talk.ended().empty());
}

}  // namespace onceward::store::redis
