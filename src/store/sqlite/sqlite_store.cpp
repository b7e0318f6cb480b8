#include "onceward/store/sqlite_store.hpp"

#include "onceward/base/assert.hpp"
#include "store/record_filter.hpp"
#include "store/sqlite/database_files.hpp"
#include "store/sqlite/list_cursor.hpp"
#include "store/sqlite/loop_link.hpp"
#include "store/sqlite/writer.hpp"

#include <memory>
#include <string>
#include <utility>

namespace onceward::store {

namespace {

using sqlite::Ending;
using sqlite::LoopLink;
using sqlite::Operation;
using sqlite::OperationKind;
using sqlite::OperatorCall;
using sqlite::Writer;

/// The port of one loop. All its calls are alike: fill an operation, send it through the writer, take the reply out.
class SqliteStore final : public Store {
public:
    SqliteStore(LoopLink& link, const Writer& writer) : link_(link), writer_(writer) {}

    Task<Result<guard::ClaimReply>> claim(const guard::ClaimRequest& request, Deadline deadline) override {
        auto* operation = link_.begin(OperationKind::claim, deadline);
        if (operation == nullptr) {
            co_return make_error_code(StoreErrc::unavailable);
        }
        operation->claim = request;
        const auto ending = co_await link_.run(*operation);
        co_return take(ending, operation, &Operation::claim_reply);
    }

    Task<Result<guard::CommandReply>> apply(const guard::Command& command, Deadline deadline) override {
        auto* operation = link_.begin(OperationKind::apply, deadline);
        if (operation == nullptr) {
            co_return make_error_code(StoreErrc::unavailable);
        }
        operation->command = command;
        const auto ending = co_await link_.run(*operation);
        co_return take(ending, operation, &Operation::command_reply);
    }

    Task<Result<WorkerLease>> lease_worker(const WorkerLeaseRequest& request, Deadline deadline) override {
        auto* operation = link_.begin(OperationKind::lease_worker, deadline);
        if (operation == nullptr) {
            co_return make_error_code(StoreErrc::unavailable);
        }
        operation->worker = request;
        const auto ending = co_await link_.run(*operation);
        co_return take(ending, operation, &Operation::worker_lease);
    }

    Task<Result<guard::OperatorReply>> operate(const guard::OperatorCommand& command, Deadline deadline) override {
        OperatorCall call;
        call.command = command;
        const auto error = co_await run(OperationKind::operate, call, deadline);
        if (error) {
            co_return error;
        }
        co_return std::move(call.reply);
    }

    Task<Result<std::optional<FoundRecord>>> find(const RecordLookup& lookup, Deadline deadline) override {
        OperatorCall call;
        call.lookup = lookup;
        const auto error = co_await run(OperationKind::find, call, deadline);
        if (error) {
            co_return error;
        }
        co_return std::move(call.found);
    }

    /// An operation looks at a few rows; others come between.
    Task<Result<RecordPage>> list(const RecordQuery& query, Deadline deadline) override {
        OperatorCall call;
        const auto after = sqlite::parse_list_cursor(query.cursor);
        if (!after) {
            co_return make_error_code(StoreErrc::bad_cursor);
        }
        call.query = query;
        call.after = *after;
        const auto end = std::chrono::steady_clock::now() + list_patience;
        do {
            const auto error = co_await run(OperationKind::list, call, deadline);
            if (error) {
                co_return error;
            }
        } while (call.more && call.listed.size() < query.limit && std::chrono::steady_clock::now() < end);
        co_return RecordPage{std::move(call.listed), call.more ? std::to_string(call.after) : std::string{}};
    }

    Task<Result<void>> ping(Deadline deadline) override {
        auto* operation = link_.begin(OperationKind::ping, deadline);
        if (operation == nullptr) {
            co_return make_error_code(StoreErrc::unavailable);
        }
        const auto ending = co_await link_.run(*operation);
        if (ending == Ending::timed_out) {
            co_return make_error_code(StoreErrc::timed_out);
        }
        const auto error = operation->error;
        link_.release(*operation);
        co_return error ? Result<void>{error} : Result<void>{};
    }

    Task<Result<std::string>> replace_rules(const std::string& rules, Deadline deadline) override {
        OperatorCall call;
        call.rules = rules;
        const auto error = co_await run(OperationKind::replace_rules, call, deadline);
        if (error) {
            co_return error;
        }
        co_return std::move(call.former_rules);
    }

    Task<Result<guard::PieceVerdict>> append(const guard::ContentPiece& piece, Deadline deadline) override {
        OperatorCall call;
        call.piece = piece;
        const auto error = co_await run(OperationKind::append, call, deadline);
        if (error) {
            co_return error;
        }
        co_return call.piece_verdict;
    }

    Task<Result<std::string>> read_piece(const PieceLookup& lookup, Deadline deadline) override {
        OperatorCall call;
        call.pieces = lookup;
        const auto error = co_await run(OperationKind::read_piece, call, deadline);
        if (error) {
            co_return error;
        }
        co_return std::move(call.piece.bytes);
    }

    Task<Result<void>> discard(const PieceLookup& lookup, Deadline deadline) override {
        OperatorCall call;
        call.pieces = lookup;
        const auto error = co_await run(OperationKind::discard, call, deadline);
        co_return error ? Result<void>{error} : Result<void>{};
    }

    [[nodiscard]] StoreTime now() const override { return writer_.now(); }
    [[nodiscard]] StoreInfo info() const override { return {"sqlite", true, true}; }
    void watch(const RecordId& id) override { link_.watch(id); }
    void unwatch(const RecordId& id) override { link_.unwatch(id); }

private:
    /// Carries an operator's call there and, unless it failed, back. After a failure `call` is blank.
    Task<boost::system::error_code> run(OperationKind kind, OperatorCall& call, Deadline deadline) {
        auto* operation = link_.begin(kind, deadline);
        if (operation == nullptr) {
            co_return make_error_code(StoreErrc::unavailable);
        }
        operation->operator_call = std::make_unique<OperatorCall>(std::move(call));
        const auto ending = co_await link_.run(*operation);
        if (ending == Ending::timed_out) {
            co_return make_error_code(StoreErrc::timed_out);
        }
        const auto error = operation->error;
        call = std::move(*operation->operator_call);
        link_.release(*operation);
        co_return error;
    }

    template <typename Reply>
    Result<Reply> take(Ending ending, Operation* operation, Reply Operation::*reply) {
        if (ending == Ending::timed_out) {
            return make_error_code(StoreErrc::timed_out);
        }
        auto result = operation->error ? Result<Reply>{operation->error} : Result<Reply>{std::move(operation->*reply)};
        link_.release(*operation);
        return result;
    }

    LoopLink& link_;
    const Writer& writer_;
};

std::vector<std::unique_ptr<LoopLink>> make_links(const std::vector<SqliteLoop>& loops, sqlite::Inbox& inbox) {
    std::vector<std::unique_ptr<LoopLink>> links;
    links.reserve(loops.size());
    for (const auto& loop : loops) {
        links.push_back(std::make_unique<LoopLink>(loop, inbox));
    }
    return links;
}

}  // namespace

/// In this order: the writer's thread ends before the links that it delivers to.
struct SqliteBackend::Parts {
    Parts(const SqliteOptions& options, const std::vector<SqliteLoop>& loops)
        : path(options.path), links(make_links(loops, inbox)), writer(options, inbox, links) {}

    std::string path;
    sqlite::Inbox inbox;
    std::vector<std::unique_ptr<LoopLink>> links;
    Writer writer;
};

SqliteBackend::SqliteBackend(const SqliteOptions& options, const std::vector<SqliteLoop>& loops)
    : parts_(std::make_unique<Parts>(options, loops)) {}

SqliteBackend::~SqliteBackend() = default;

std::vector<std::string> SqliteBackend::warnings() const {
    return sqlite::file_system_warnings(parts_->path);
}

SqliteCounts SqliteBackend::counts() const {
    return parts_->writer.counts();
}

RecordCounts SqliteBackend::record_counts() const {
    return parts_->writer.record_counts();
}

std::unique_ptr<Store> make_sqlite_store(SqliteBackend& backend, std::size_t loop_index) {
    auto& links = backend.parts_->links;
    ONCEWARD_ASSERT(loop_index < links.size());
    return std::make_unique<SqliteStore>(*links[loop_index], backend.parts_->writer);
}

}  // namespace onceward::store
