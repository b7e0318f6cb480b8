#include "store/redis/operator_calls.hpp"

#include "onceward/guard/record_machine.hpp"
#include "store/record_filter.hpp"
#include "store/redis/list_cursor.hpp"
#include "store/redis/operation.hpp"
#include "store/redis/operator_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace onceward::store::redis {

namespace {

using std::chrono::steady_clock;

/// Keys that a step looks at: few where records are many, for the server reads each of them out; more where they are rare.
constexpr std::size_t least_step = 10;
constexpr std::size_t dense_step = ListCursor::count_max;
constexpr std::size_t sparse_step = 500;
/// While one name is looked for, nothing is read out.
constexpr std::size_t search_step = 1'000;
/// A step that met its deadline would take the connection down with it.
constexpr milliseconds step_reserve{100};

class OperateOperation final : public ScriptOperation {
public:
    OperateOperation(const Keyspace& keys, const guard::OperatorCommand& command)
        : ScriptOperation(operate_script), keys_(keys), command_(command) {}
    OperatorAnswer answer;

private:
    void write_script(std::string& out, const Script& /*script*/, ScriptForm form) override {
        write_operator_command(out, keys_, command_, form);
    }
    bool read(const Reply& from) override {
        auto read = read_operator_command(from, command_);
        if (read) {
            answer = std::move(*read);
        }
        return read.has_value();
    }
    const Keyspace& keys_;
    const guard::OperatorCommand& command_;
};

class FindOperation final : public ScriptOperation {
public:
    FindOperation(const Keyspace& keys, const RecordPlace& place) : ScriptOperation(find_script), keys_(keys), place_(place) {}
    FindAnswer answer;

private:
    void write_script(std::string& out, const Script& /*script*/, ScriptForm form) override {
        write_find(out, keys_, place_, form);
    }
    bool read(const Reply& from) override {
        auto read = read_find(from, place_);
        if (read) {
            answer = std::move(*read);
        }
        return read.has_value();
    }
    const Keyspace& keys_;
    RecordPlace place_;
};

class ListOperation final : public ScriptOperation {
public:
    ListOperation(const Keyspace& keys, const ListStep& step) : ScriptOperation(list_script), keys_(keys), step_(step) {}
    ListAnswer answer;

private:
    void write_script(std::string& out, const Script& /*script*/, ScriptForm form) override { write_list(out, step_, form); }
    bool read(const Reply& from) override {
        auto read = read_list(from, keys_);
        if (read) {
            answer = std::move(*read);
        }
        return read.has_value();
    }
    const Keyspace& keys_;
    const ListStep& step_;
};

/// Runs a script and hears the server's clock.
template <typename ScriptCall>
Task<boost::system::error_code> run(ScriptCall& call, Server server, Deadline deadline) {
    do {
        co_await call.run(server.connection, deadline);
    } while (call.take_missing());
    if (!call.failure()) {
        server.clock.hear(call.answer.now);
    }
    co_return call.failure();
}

/// The name of the route that the record is filed under, looked for among all keys; empty when there is none.
Task<Result<std::string>> search_route(Server server, const RecordId& id, Deadline deadline) {
    ListStep step;
    step.pattern = server.keys.record_pattern(id);
    step.count = search_step;
    do {
        if (steady_clock::now() + step_reserve > deadline) {
            co_return StoreErrc::timed_out;
        }
        ListOperation operation(server.keys, step);
        const auto failure = co_await run(operation, server, deadline);
        if (failure) {
            co_return failure;
        }
        if (!operation.answer.records.empty()) {
            co_return operation.answer.records.front().route;
        }
        step.scan = operation.answer.scan;
    } while (step.scan != "0");
    co_return std::string{};
}

/// Of what a step met, what the query asks for and no page before gave.
std::vector<ListedRecord> wanted_of(const RecordQuery& query, const ListCursor& cursor, ListAnswer& answer) {
    std::vector<ListedRecord> wanted;
    for (auto& listed : answer.records) {
        if (cursor.has_given(listed.id)) {
            continue;
        }
        if (listed.record) {
            listed.record = guard::read_at(std::move(*listed.record), answer.now);
            if (!listed.record || !matches(query, *listed.record, answer.now)) {
                continue;
            }
        } else if (!matches_unreadable(query, listed.route)) {
            continue;
        }
        wanted.push_back(std::move(listed));
    }
    return wanted;
}

enum class StepEnd : std::uint8_t {
    whole,    ///< all that it met is given
    cut,      ///< the page is full before it ended: the cursor names what was given of it
    too_long  ///< it met more than the page has room for, and more than a cursor can name: nothing is given
};

StepEnd take(const RecordQuery& query, std::size_t count, ListAnswer& answer, ListCursor& cursor, RecordPage& page) {
    auto wanted = wanted_of(query, cursor, answer);
    const auto room = query.limit - page.records.size();
    const bool is_whole = wanted.size() <= room;
    if (!is_whole && count > dense_step) {
        return StepEnd::too_long;
    }
    if (is_whole) {
        for (const auto& listed : answer.records) {
            cursor.meet(listed.id);
        }
        cursor.scan = answer.scan;
    } else {
        wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(room), wanted.end());
        for (const auto& listed : wanted) {
            cursor.give(listed.id);
        }
    }
    cursor.count = std::min(count, dense_step);
    std::move(wanted.begin(), wanted.end(), std::back_inserter(page.records));
    return is_whole ? StepEnd::whole : StepEnd::cut;
}

std::size_t dense_count(std::size_t wanted) {
    return std::clamp(wanted, least_step, dense_step);
}

std::size_t next_count(std::size_t found, std::size_t count, std::size_t room) {
    constexpr std::size_t rare = 8;
    return found * rare < count ? std::min(2 * count, sparse_step) : dense_count(room);
}

}  // namespace

Task<Result<guard::OperatorReply>> operate(Server server, const guard::OperatorCommand& command, Deadline deadline) {
    OperateOperation operation(server.keys, command);
    const auto failure = co_await run(operation, server, deadline);
    if (failure) {
        co_return failure;
    }
    co_return std::move(operation.answer.reply);
}

Task<Result<std::optional<FoundRecord>>> find(Server server, const RecordLookup& lookup, Deadline deadline) {
    auto routes = lookup.routes;
    bool is_searched = lookup.reach == Reach::named_routes;
    for (;;) {
        for (const auto& route : routes) {
            FindOperation operation(server.keys, {route, lookup.id, lookup.detail});
            const auto failure = co_await run(operation, server, deadline);
            if (failure) {
                co_return failure;
            }
            if (operation.answer.found) {
                co_return std::move(operation.answer.found);
            }
        }
        if (is_searched) {
            co_return std::optional<FoundRecord>{};
        }
        is_searched = true;
        auto route = co_await search_route(server, lookup.id, deadline);
        if (!route) {
            co_return route.error();
        }
        routes.clear();
        if (!route->empty()) {
            routes.push_back(std::move(*route));
        }
    }
}

Task<Result<RecordPage>> list(Server server, const RecordQuery& query, Deadline deadline) {
    auto cursor = parse_list_cursor(query.cursor);
    if (!cursor) {
        co_return StoreErrc::bad_cursor;
    }
    const auto end = std::min(steady_clock::now() + list_patience, deadline - step_reserve);
    RecordPage page;
    ListStep step;
    step.pattern = server.keys.record_pattern(query.route);
    step.state = query.state;
    step.count = cursor->given.empty() ? dense_count(query.limit) : cursor->count;
    auto step_end = StepEnd::whole;
    do {
        step.scan = cursor->scan;
        ListOperation operation(server.keys, step);
        const auto failure = co_await run(operation, server, deadline);
        if (failure) {
            co_return failure;
        }
        const auto before = page.records.size();
        const auto given_before = cursor->given.size();
        step_end = take(query, step.count, operation.answer, *cursor, page);
        const auto room = query.limit - page.records.size();
        if (step_end == StepEnd::too_long) {
            step.count = dense_count(room);
        } else if (step_end == StepEnd::whole) {
            const auto found = page.records.size() - before + given_before - cursor->given.size();
            step.count = next_count(found, step.count, room);
        }
    } while (step_end != StepEnd::cut && cursor->scan != "0" && page.records.size() < query.limit && steady_clock::now() < end);
    if (step_end == StepEnd::cut || cursor->scan != "0") {
        page.next_cursor = to_text(*cursor);
    }
    co_return page;
}

}  // namespace onceward::store::redis
