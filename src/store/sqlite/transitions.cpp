#include "store/sqlite/transitions.hpp"

#include "onceward/guard/record_machine.hpp"
#include "store/record_filter.hpp"

#include <algorithm>
#include <utility>

namespace onceward::store::sqlite {

namespace {
/// Rows of a list between which other operations are carried out: some hundred pages at most.
constexpr std::int64_t list_turn = 128;
}  // namespace

Transitions::Transitions(Database& database, const TableNames& tables, SteeredClock& clock)
    : clock_(clock),
      records_(database, tables),
      workers_(database, tables),
      rules_(database, tables),
      contents_(database, tables) {}

bool Transitions::carry_out(Operation& operation) {
    auto access = Access::done;
    switch (operation.kind) {
        case OperationKind::claim:
            access = claim(operation);
            break;
        case OperationKind::apply:
            access = apply(operation);
            break;
        case OperationKind::lease_worker:
            access = lease_worker(operation);
            break;
        case OperationKind::operate:
            access = operate(operation);
            break;
        case OperationKind::find:
            access = find(*operation.operator_call);
            break;
        case OperationKind::list:
            access = list(*operation.operator_call);
            break;
        case OperationKind::replace_rules:
            access = access_of(rules_.replace(operation.operator_call->rules, operation.operator_call->former_rules));
            break;
        case OperationKind::append:
            access = append(*operation.operator_call);
            break;
        case OperationKind::read_piece:
            access = read_piece(*operation.operator_call);
            break;
        case OperationKind::discard:
            access = discard(*operation.operator_call);
            break;
        case OperationKind::ping:
            break;
    }
    if (access == Access::corrupt) {
        operation.error = StoreErrc::corrupt;
    } else if (access == Access::refused) {
        operation.error = StoreErrc::rejected;
    }
    return access != Access::failed;
}

Access Transitions::claim(Operation& operation) {
    const auto& request = operation.claim;
    if (const auto access = read(request.id); access != Access::done) {
        return access;
    }
    auto step = guard::claim(stored_, request, now());
    operation.claim_reply = std::move(step.reply);
    return write(request.id, step.write);
}

Access Transitions::apply(Operation& operation) {
    const auto& command = operation.command;
    if (const auto access = read(command.id); access != Access::done) {
        return access;
    }
    const auto in_pieces = guard::bytes_in_pieces(command.action);
    if (in_pieces == 0) {
        return decide(operation, {});
    }
    const guard::PiecesId pieces{command.id, command.claim.fence};
    bool whole = false;
    const auto access = access_of(contents_.is_whole(pieces, in_pieces, now(), whole));
    if (access != Access::done || whole) {
        return access == Access::done ? decide(operation, pieces) : access;
    }
    operation.command_reply = {guard::CommandVerdict::incomplete, {}, {}, {}};
    return Access::done;
}

/// `pieces` are kept as long as the answer that is written.
Access Transitions::decide(Operation& operation, const std::optional<guard::PiecesId>& pieces) {
    const auto step = guard::apply(stored_, operation.command, now());
    operation.command_reply = step.reply;
    if (pieces && step.write) {
        const auto access = access_of(contents_.keep(*pieces, step.write->keep_until));
        if (access != Access::done) {
            return access;
        }
    }
    operation.settled = step.write && step.write->state != guard::RecordState::processing;
    return write(operation.command.id, step.write);
}

Access Transitions::lease_worker(Operation& operation) {
    std::optional<WorkerLease> granted;
    const auto access = access_of(workers_.lease(operation.worker, clock_.latest(), granted));
    if (access != Access::done) {
        return access;
    }
    if (!granted) {
        return Access::refused;
    }
    operation.worker_lease = *granted;
    return Access::done;
}

Access Transitions::operate(Operation& operation) {
    auto& call = *operation.operator_call;
    if (const auto access = read(call.command.id); access != Access::done) {
        return access;
    }
    auto step = guard::operate(stored_, call.command, now());
    call.reply = std::move(step.reply);
    operation.settled = step.write.has_value();
    if (step.write) {
        // What an operator writes has no content in pieces.
        const auto access = access_of(contents_.keep({call.command.id, call.command.fence}, StoreTime{}));
        if (access != Access::done) {
            return access;
        }
    }
    return write(call.command.id, step.write);
}

Access Transitions::append(OperatorCall& call) {
    const auto& piece = call.piece;
    if (const auto access = read(piece.of.id); access != Access::done) {
        return access;
    }
    call.piece_verdict = guard::append(stored_, piece.owner);
    const bool appended = call.piece_verdict == guard::PieceVerdict::appended;
    return appended ? access_of(contents_.put(piece, now() + piece.keep)) : Access::done;
}

Access Transitions::read_piece(OperatorCall& call) {
    return access_of(contents_.read(call.pieces.of, call.pieces.index, clock_.latest(), call.piece.bytes));
}

/// The purge takes them away.
Access Transitions::discard(const OperatorCall& call) {
    return access_of(contents_.keep(call.pieces.of, StoreTime{}));
}

Access Transitions::purge(StoreTime now, std::int64_t limit, std::int64_t& touched) {
    const auto purged = records_.purge(now, limit, touched);
    return purged == Access::done ? access_of(contents_.purge(now, limit, touched)) : purged;
}

Access Transitions::find(OperatorCall& call) {
    if (const auto access = read(call.lookup.id); access != Access::done || !stored_) {
        return access;
    }
    const auto at = now();
    auto seen =
        guard::read_at(call.lookup.detail == Detail::content ? std::move(*stored_) : guard::without_content(*stored_), at);
    if (seen) {
        call.found.emplace(FoundRecord{call.lookup.id, std::move(*seen)});
    }
    return Access::done;
}

/// A few rows of a list: claims wait behind it.
Access Transitions::list(OperatorCall& call) {
    std::vector<ListedRow> rows;
    if (const auto access = records_.list(call.after, list_turn, rows); access != Access::done) {
        return access;
    }
    call.more = rows.size() == static_cast<std::size_t>(list_turn);
    for (auto& row : rows) {
        if (call.listed.size() == call.query.limit) {
            call.more = true;
            break;
        }
        call.after = row.number;
        list_row(call, std::move(row));
    }
    return Access::done;
}

/// Adds the row if it is one that the query asks for.
void Transitions::list_row(OperatorCall& call, ListedRow row) {
    if (!row.id) {
        return;
    }
    if (!row.record) {
        if (matches_unreadable(call.query, row.route)) {
            call.listed.push_back({*row.id, std::move(row.route), std::nullopt});
        }
        return;
    }
    const auto at = std::max(clock_.latest(), row.record->updated_at);
    auto seen = guard::read_at(std::move(*row.record), at);
    if (seen && matches(call.query, *seen, at)) {
        call.listed.push_back({*row.id, std::move(row.route), std::move(seen)});
    }
}

Access Transitions::read(const RecordId& id) {
    stored_.reset();
    const auto access = records_.read(id, found_);
    if (access == Access::done && found_) {
        stored_.emplace(std::move(found_->record));
        clock_.observe(stored_->updated_at);
    }
    return access;
}

Access Transitions::write(const RecordId& id, const std::optional<guard::Record>& record) {
    if (!record) {
        return Access::done;
    }
    return records_.write(id, *record, found_ ? std::optional{found_->ver} : std::nullopt);
}

/// A record that another clock dated far ahead is judged by its own time and does not move the clock for others.
StoreTime Transitions::now() {
    return stored_ ? std::max(clock_.latest(), stored_->updated_at) : clock_.latest();
}

}  // namespace onceward::store::sqlite
