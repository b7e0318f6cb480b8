#include "store/redis/piece_calls.hpp"

#include "store/redis/operation.hpp"
#include "store/redis/record_codec.hpp"

#include <utility>

namespace onceward::store::redis {

namespace {

class AppendOperation final : public ScriptOperation {
public:
    AppendOperation(const Keyspace& keys, const guard::ContentPiece& piece)
        : ScriptOperation(append_script), keys_(keys), piece_(piece) {}
    AppendAnswer answer;

private:
    void write_script(std::string& out, const Script& /*script*/, ScriptForm form) override {
        write_append(out, keys_, piece_, form);
    }
    bool read(const Reply& from) override {
        const auto read = read_append(from);
        if (read) {
            answer = *read;
        }
        return read.has_value();
    }
    const Keyspace& keys_;
    const guard::ContentPiece& piece_;
};

}  // namespace

Task<Result<guard::PieceVerdict>> append(Server server, const guard::ContentPiece& piece, Deadline deadline) {
    AppendOperation operation(server.keys, piece);
    do {
        co_await operation.run(server.connection, deadline);
    } while (operation.take_missing());
    if (operation.failure()) {
        co_return operation.failure();
    }
    server.clock.hear(operation.answer.now);
    co_return operation.answer.verdict;
}

Task<Result<std::string>> read_piece(Server server, const PieceLookup& lookup, Deadline deadline) {
    const auto key = server.keys.pieces_key(lookup.route, lookup.of);
    const auto number = std::to_string(lookup.index);
    TextOperation operation({"HGET", key, number});
    co_await operation.run(server.connection, deadline);
    if (operation.failure()) {
        co_return operation.failure();
    }
    co_return operation.text();
}

Task<Result<void>> discard(Server server, const PieceLookup& lookup, Deadline deadline) {
    const auto key = server.keys.pieces_key(lookup.route, lookup.of);
    TextOperation operation({"DEL", key});
    co_await operation.run(server.connection, deadline);
    co_return operation.failure() ? Result<void>{operation.failure()} : Result<void>{};
}

}  // namespace onceward::store::redis
