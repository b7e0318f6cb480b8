#include "store/sqlite/record_row.hpp"

#include "onceward/base/assert.hpp"

#include <algorithm>
#include <limits>

namespace onceward::store::sqlite {

namespace {

using guard::Record;
using guard::RecordState;

/// Year 9999: a time beyond it is damage.
constexpr std::int64_t latest_time = 253'402'300'799'999'999;

/// Reads columns strictly: the first value of a wrong type or range makes the whole row unreadable.
class RowReader {
public:
    explicit RowReader(const Statement& row) : row_(row) {}

    [[nodiscard]] bool readable() const { return readable_; }
    void require(bool condition) { readable_ = readable_ && condition; }

    std::int64_t number(Column column, std::int64_t least, std::int64_t most) {
        const auto value = row_.integer(static_cast<int>(column));
        require(value && *value >= least && *value <= most);
        return value.value_or(0);
    }
    bool flag(Column column) { return number(column, 0, 1) == 1; }
    StoreTime time(Column column) { return from_micros(number(column, 0, latest_time)); }

    std::string_view text(Column column) {
        const auto value = row_.text(static_cast<int>(column));
        require(value.has_value());
        return value.value_or("");
    }

    template <typename Tag, std::size_t Size>
    void bytes(Column column, TaggedBytes<Tag, Size>& out) {
        const auto value = row_.blob(static_cast<int>(column));
        require(value && value->size() == Size);
        if (readable_) {
            std::copy(value->begin(), value->end(), out.bytes.begin());
        }
    }

    /// NULL reads as empty: what the purge takes off a tombstone.
    std::string content(Column column) {
        if (row_.is_null(static_cast<int>(column))) {
            return {};
        }
        const auto value = row_.blob(static_cast<int>(column));
        require(value.has_value());
        return value ? std::string{value->begin(), value->end()} : std::string{};
    }

    /// Where content lies in pieces, its size stands in its place; 0: it does not.
    std::uint64_t bytes_in_pieces(Column column) {
        const auto value = row_.integer(static_cast<int>(column));
        require(!value || *value > 0);
        return static_cast<std::uint64_t>(value.value_or(0));
    }

    template <typename Value>
    Value parsed(std::optional<Value> value) {
        require(value.has_value());
        return value.value_or(Value{});
    }

    [[nodiscard]] bool is_null(Column column) const { return row_.is_null(static_cast<int>(column)); }

private:
    const Statement& row_;
    bool readable_ = true;
};

std::optional<guard::RecordedResponse> read_response(RowReader& row) {
    if (row.is_null(Column::status)) {
        return std::nullopt;
    }
    guard::RecordedResponse response;
    response.status = static_cast<int>(row.number(Column::status, 100, 999));
    // A tombstone without its head can't be sent again, however its times read.
    response.truncated = row.flag(Column::truncated) || row.is_null(Column::head);
    row.bytes(Column::digest, response.digest);
    response.head = row.content(Column::head);
    response.bytes_in_pieces = row.bytes_in_pieces(Column::body);
    if (response.bytes_in_pieces == 0) {
        response.body = row.content(Column::body);
    }
    row.require(response.truncated || !row.is_null(Column::body));
    return response;
}

void read_identity(RowReader& row, guard::RequestIdentity& identity) {
    row.bytes(Column::fingerprint_version, identity.version);
    row.bytes(Column::fingerprint, identity.fingerprint);
    row.bytes(Column::raw, identity.raw);
    row.bytes(Column::caller, identity.caller);
    identity.parts = row.text(Column::parts);
}

class RowBinder {
public:
    explicit RowBinder(Statement& statement) : statement_(statement) {}

    void number(Column column, std::int64_t value) { statement_.bind(parameter(column), value); }
    void time(Column column, StoreTime value) { number(column, to_micros(value)); }
    void text(Column column, std::string_view value) { statement_.bind_text(parameter(column), value); }
    void blob(Column column, Bytes value) { statement_.bind_blob(parameter(column), value); }
    void content(Column column, const std::string& value) {
        blob(column, Bytes{reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
    }

private:
    static int parameter(Column column) { return static_cast<int>(column) + 1; }
    Statement& statement_;
};

void bind_response(RowBinder& row, const guard::RecordedResponse& response) {
    row.number(Column::status, response.status);
    row.number(Column::truncated, response.truncated ? 1 : 0);
    row.blob(Column::digest, response.digest.bytes);
    row.content(Column::head, response.head);
    if (response.bytes_in_pieces > 0) {
        row.number(Column::body, static_cast<std::int64_t>(response.bytes_in_pieces));
    } else {
        row.content(Column::body, response.body);
    }
}

}  // namespace

std::optional<Record> read_row(const Statement& select, std::int64_t& ver) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    RowReader row{select};
    row.number(Column::v, record_version, record_version);
    Record record;
    record.state = row.parsed(guard::parse_record_state(row.text(Column::state)));
    row.require(record.state != RecordState::expired);
    record.route = row.text(Column::route);
    row.bytes(Column::owner, record.owner);
    row.bytes(Column::last_owner, record.last_owner);
    record.fence.value = row.number(Column::fence, 1, most);
    record.attempt.value = static_cast<std::uint32_t>(row.number(Column::attempt, 1, std::numeric_limits<std::uint32_t>::max()));
    record.operation_id.value = row.number(Column::operation_id, 0, most);
    read_identity(row, record.identity);
    record.may = row.flag(Column::may);
    record.failure = row.parsed(guard::parse_failure_kind(row.text(Column::failure)));
    record.evidence = row.text(Column::evidence);
    record.created_at = row.time(Column::created_at);
    record.updated_at = row.time(Column::updated_at);
    record.lease_until = row.time(Column::lease_until);
    record.keep_until = row.time(Column::keep_until);
    record.forget_at = row.time(Column::forget_at);
    record.response = read_response(row);
    row.require((record.state == RecordState::completed) == record.response.has_value());
    ver = row.number(Column::ver, 1, most - 1);
    if (!row.readable()) {
        return std::nullopt;
    }
    return record;
}

const std::string& light_column_names() {
    // typeof() looks at the row's header alone; the pages that a large value lies on are not read.
    static const std::string names = [] {
        constexpr std::string_view heavy = ", head, body";
        std::string all = column_names;
        ONCEWARD_ASSERT(all.ends_with(heavy));
        all.resize(all.size() - heavy.size());
        for (const char* name : {"head", "body"}) {
            all += std::string(", CASE typeof(") + name + ") WHEN 'null' THEN NULL WHEN 'blob' THEN x'' WHEN 'integer' THEN " +
                   name + " ELSE 'junk' END";
        }
        return all;
    }();
    return names;
}

std::string read_route(const Statement& select) {
    return std::string(select.text(static_cast<int>(Column::route)).value_or(""));
}

void bind_row(Statement& statement, const Record& record, std::int64_t ver) {
    RowBinder row{statement};
    row.number(Column::v, record_version);
    row.number(Column::ver, ver);
    row.text(Column::state, guard::to_text(record.state));
    row.text(Column::route, record.route);
    row.blob(Column::owner, record.owner.bytes);
    row.blob(Column::last_owner, record.last_owner.bytes);
    row.number(Column::fence, record.fence.value);
    row.number(Column::attempt, record.attempt.value);
    row.number(Column::operation_id, record.operation_id.value);
    row.blob(Column::fingerprint_version, record.identity.version.bytes);
    row.blob(Column::fingerprint, record.identity.fingerprint.bytes);
    row.blob(Column::raw, record.identity.raw.bytes);
    row.blob(Column::caller, record.identity.caller.bytes);
    row.text(Column::parts, record.identity.parts);
    row.number(Column::may, record.may ? 1 : 0);
    row.text(Column::failure, guard::to_text(record.failure));
    row.text(Column::evidence, record.evidence);
    row.time(Column::created_at, record.created_at);
    row.time(Column::updated_at, record.updated_at);
    row.time(Column::lease_until, record.lease_until);
    row.time(Column::keep_until, record.keep_until);
    row.time(Column::forget_at, record.forget_at);
    if (record.state != RecordState::processing) {
        // Then the record becomes a tombstone, or a FAILED one ends.
        row.time(Column::due_at, record.keep_until);
    }
    if (record.response) {
        bind_response(row, *record.response);
    }
}

}  // namespace onceward::store::sqlite
