#pragma once

#include "onceward/base/result.hpp"
#include "onceward/base/task.hpp"
#include "store/redis/command.hpp"
#include "store/redis/connection.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onceward::store::redis {

/// A command that a coroutine waits for. Lives in its frame; `co_await run(connection, deadline)`, then `result()` is set.
class Operation : public PendingCommand {
public:
    /// Sends the command and resumes when it has ended.
    [[nodiscard]] auto run(Connection& connection, Deadline until) {
        deadline = until;
        return suspend([this, &connection](Suspension caller) {
            caller_ = std::move(caller);
            connection.submit(*this);
        });
    }
    /// Set when there was no usable reply.
    [[nodiscard]] error_code failure() const { return failure_; }

    void on_reply(const Reply& reply) final;
    void on_failure(StoreErrc errc) final { failure_ = errc; }
    void end() final { caller_.resume(); }
    void abandon() final { const auto dropped = std::move(caller_); }

protected:
    /// Reads a reply that is no error; false when it is not what was asked for.
    virtual bool read(const Reply& reply) = 0;
    /// An error reply. Sets the failure by default.
    virtual void on_error(std::string_view text);
    void fail(StoreErrc errc) { failure_ = errc; }
    void forget_failure() { failure_ = {}; }

private:
    error_code failure_;
    Suspension caller_;
};

/// A script with its keys and arguments.
class ScriptOperation : public Operation {
public:
    explicit ScriptOperation(const Script& script) : script_(script) {}

    void write(std::string& out) final { write_script(out, script_, form_); }
    /// The server did not know the script and ran nothing: to be run once more, now with its text.
    [[nodiscard]] bool take_missing() {
        const bool missing = std::exchange(is_missing_, false);
        if (missing) {
            forget_failure();
        }
        return missing;
    }

protected:
    virtual void write_script(std::string& out, const Script& script, ScriptForm form) = 0;
    void on_error(std::string_view text) final;

private:
    const Script& script_;
    ScriptForm form_ = ScriptForm::by_hash;
    bool is_missing_ = false;
};

/// A plain command whose reply is kept as text.
class TextOperation final : public Operation {
public:
    TextOperation(std::initializer_list<std::string_view> arguments) : arguments_(arguments.begin(), arguments.end()) {}

    void write(std::string& out) override;
    /// A single string, or the last of an array; empty for nil.
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] bool is_nil() const { return is_nil_; }

private:
    bool read(const Reply& reply) override;

    std::vector<std::string> arguments_;
    std::string text_;
    bool is_nil_ = false;
};

}  // namespace onceward::store::redis
