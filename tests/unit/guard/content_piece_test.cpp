#include "onceward/guard/content_piece.hpp"

#include "catch.hpp"
#include "record_builders.hpp"

using namespace onceward;
using namespace onceward::guard;

TEST_CASE("content is cut into pieces of one size and a rest") {
    constexpr std::uint64_t piece = content_piece_bytes;
    CHECK(piece_count(0) == 0);
    CHECK(piece_count(1) == 1);
    CHECK(piece_count(piece) == 1);
    CHECK(piece_count(piece + 1) == 2);
    CHECK(piece_size(piece + 1, 0) == piece);
    CHECK(piece_size(piece + 1, 1) == 1);
    CHECK(piece_size(piece + 1, 2) == 0);
    CHECK(piece_size(2 * piece, 1) == piece);
    CHECK(piece_size(2 * piece, 2) == 0);
    // Beyond 4 GiB, too.
    CHECK(piece_size(20'000 * piece, 19'999) == piece);
}

TEST_CASE("only the owner of an open record adds to its answer") {
    const auto owner = test::owner_token(1);
    Record record;
    record.owner = owner;
    record.last_owner = test::owner_token(2);
    for (const auto state : {RecordState::processing, RecordState::unknown}) {
        record.state = state;
        CHECK(append(record, owner) == PieceVerdict::appended);
        CHECK(append(record, test::owner_token(2)) == PieceVerdict::fenced);
        CHECK(append(record, OwnerToken{}) == PieceVerdict::fenced);
    }
    for (const auto state : {RecordState::completed, RecordState::failed}) {
        record.state = state;
        CHECK(append(record, owner) == PieceVerdict::fenced);
    }
    // The store lost it: its owner will write it again.
    CHECK(append(std::nullopt, owner) == PieceVerdict::appended);
}

TEST_CASE("which actions have content in pieces") {
    auto answer = test::response(200, {});
    CHECK(bytes_in_pieces(Complete{answer}) == 0);
    answer.bytes_in_pieces = 2 * content_piece_bytes;
    CHECK(bytes_in_pieces(Complete{answer}) == 2 * content_piece_bytes);
    CHECK(bytes_in_pieces(Fail{}) == 0);
    CHECK(bytes_in_pieces(Renew{}) == 0);
}

TEST_CASE("what is known of an answer in pieces") {
    Record record;
    record.state = RecordState::completed;
    record.response = test::response(200, {});
    record.response->bytes_in_pieces = 5'000'000;
    CHECK(record.response->content_size() == 5'000'000);
    CHECK(without_content(record).response->bytes_in_pieces == 5'000'000);
}
