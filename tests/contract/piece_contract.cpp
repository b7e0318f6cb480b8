#include "catch.hpp"
#include "onceward/guard/content_piece.hpp"
#include "rig.hpp"

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;
using test::operator_command;

namespace {

constexpr std::uint64_t content_bytes = 2 * content_piece_bytes + 1'000;
constexpr milliseconds brief{400};

/// Every byte value, and another text in each piece.
std::string bytes_of_piece(std::uint32_t index) {
    std::string bytes(piece_size(content_bytes, index), '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>((i * 7 + i / 251 + index) & 0xFFU);
    }
    return bytes;
}

ContentPiece piece_of(const ClaimRequest& request, const Claim& claim, std::uint32_t index, milliseconds keep = seconds{60}) {
    return {{request.id, claim.fence}, request.route, claim.owner, index, bytes_of_piece(index), keep};
}

store::PieceLookup lookup(const ClaimRequest& request, const Claim& claim, std::uint32_t index = 0) {
    return {{request.id, claim.fence}, request.route, index};
}

Complete answer_in_pieces() {
    auto answer = test::response(200, {});
    answer.bytes_in_pieces = content_bytes;
    return {answer};
}

void append_all(Rig& rig, const ClaimRequest& request, const Claim& claim, milliseconds keep = seconds{60}) {
    for (std::uint32_t index = 0; index < piece_count(content_bytes); ++index) {
        REQUIRE(rig.append(piece_of(request, claim, index, keep), index % Rig::loop_count) == PieceVerdict::appended);
    }
}

void check_all_there(Rig& rig, const ClaimRequest& request, const Claim& claim) {
    for (std::uint32_t index = 0; index < piece_count(content_bytes); ++index) {
        CHECK((rig.read_piece(lookup(request, claim, index), 3) == bytes_of_piece(index)));
    }
    CHECK(rig.read_piece(lookup(request, claim, static_cast<std::uint32_t>(piece_count(content_bytes)))).empty());
}

}  // namespace

TEST_CASE("an answer in pieces is completed and comes back piece by piece") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    append_all(rig, request, claim);
    CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::applied);
    const auto existing = rig.meet(claim_request(1, 11), 3);
    REQUIRE(existing.record.response);
    CHECK(existing.record.state == RecordState::completed);
    CHECK(existing.record.fence == claim.fence);
    CHECK(existing.record.response->bytes_in_pieces == content_bytes);
    CHECK(existing.record.response->body.empty());
    CHECK(existing.record.response->head == answer_in_pieces().response.head);
    CHECK_FALSE(existing.record.response->truncated);
    check_all_there(rig, request, claim);
    // Its reply was lost.
    CHECK(rig.apply(command(request, claim, answer_in_pieces()), 2).verdict == CommandVerdict::applied);
    check_all_there(rig, request, claim);
    const auto found = rig.find(request);
    REQUIRE(found);
    CHECK(found->response->bytes_in_pieces == content_bytes);
    store::RecordQuery query;
    const auto listed = rig.list_all(query);
    REQUIRE(listed.at(request.id).record);
    CHECK(listed.at(request.id).record->response->bytes_in_pieces == content_bytes);
}

TEST_CASE("a piece that is sent again is the same piece") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    append_all(rig, request, claim);
    CHECK(rig.append(piece_of(request, claim, 1), 2) == PieceVerdict::appended);
    CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::applied);
    check_all_there(rig, request, claim);
}

TEST_CASE("an answer is not completed with pieces that are missing") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    const auto missing = GENERATE(as<std::uint32_t>{}, 0, 1, 2, 99);
    CAPTURE(missing);
    for (std::uint32_t index = 0; index < piece_count(content_bytes); ++index) {
        if (index != missing && missing != 99) {
            REQUIRE(rig.append(piece_of(request, claim, index)) == PieceVerdict::appended);
        }
    }
    CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::incomplete);
    CHECK(rig.meet(claim_request(1, 11)).record.state == RecordState::processing);
    // What happened is never lost with it.
    auto truncated = test::response(200, {});
    truncated.truncated = true;
    CHECK(rig.apply(command(request, claim, Complete{truncated})).verdict == CommandVerdict::applied);
    const auto existing = rig.meet(claim_request(1, 12));
    CHECK(existing.record.state == RecordState::completed);
    CHECK(existing.record.response->truncated);
}

TEST_CASE("nobody but the owner of an open record adds pieces") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    auto foreign = claim;
    foreign.owner = test::owner_token(99);
    CHECK(rig.append(piece_of(request, foreign, 0)) == PieceVerdict::fenced);
    CHECK(rig.read_piece(lookup(request, claim)).empty());
    SECTION("whose outcome is unknown: it may still be completed") {
        rig.apply(command(request, claim, MarkUnknown{"deadline"}));
        append_all(rig, request, claim);
        CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::applied);
    }
    SECTION("completed") {
        rig.apply(command(request, claim, Complete{test::response()}));
        CHECK(rig.append(piece_of(request, claim, 0)) == PieceVerdict::fenced);
    }
    SECTION("failed, and claimed by another") {
        append_all(rig, request, claim);
        rig.apply(command(request, claim, Fail{FailureKind::not_executed, "refused"}));
        CHECK(rig.append(piece_of(request, claim, 0)) == PieceVerdict::fenced);
        const auto next = claim_request(1, 11);
        const auto second = rig.win(next);
        CHECK(rig.append(piece_of(request, claim, 0)) == PieceVerdict::fenced);
        // The pieces of one attempt are never those of another.
        CHECK(rig.apply(command(next, second, answer_in_pieces())).verdict == CommandVerdict::incomplete);
        append_all(rig, next, second);
        CHECK(rig.apply(command(next, second, answer_in_pieces())).verdict == CommandVerdict::applied);
        CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::fenced);
        check_all_there(rig, next, second);
    }
}

TEST_CASE("pieces that nobody completes with end by themselves") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    append_all(rig, request, claim, brief);
    CHECK(rig.eventually([&] { return rig.read_piece(lookup(request, claim)).empty(); }));
    CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::incomplete);
}

TEST_CASE("pieces of a completed answer live as long as the answer, whatever was said of them before") {
    Rig rig;
    auto request = claim_request(1, 10);
    const bool lasting = GENERATE(true, false);
    CAPTURE(lasting);
    request.lifetimes.retention = lasting ? milliseconds{seconds{60}} : brief;
    const auto claim = rig.win(request);
    const auto appended_at = rig.now();
    append_all(rig, request, claim, lasting ? milliseconds{2'000} : milliseconds{seconds{60}});
    REQUIRE(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::applied);
    if (lasting) {
        rig.wait_past(appended_at + seconds{4});
        check_all_there(rig, request, claim);
    } else {
        CHECK(rig.eventually([&] { return rig.read_piece(lookup(request, claim)).empty(); }));
        auto next = claim_request(1, 11);
        next.lifetimes = request.lifetimes;
        const auto existing = rig.meet(next);
        CHECK(existing.record.state == RecordState::expired);
    }
}

TEST_CASE("pieces are discarded") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    append_all(rig, request, claim);
    rig.discard(lookup(request, claim), 3);
    CHECK(rig.read_piece(lookup(request, claim)).empty());
    CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::incomplete);
    // Of what is not there, too.
    rig.discard(lookup(request, claim));
}

TEST_CASE("an operator's word takes the pieces of the answer away") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    append_all(rig, request, claim);
    REQUIRE(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::applied);
    SECTION("release") {
        const auto reply = rig.operate(operator_command(request, claim.fence, Release{}, Force::yes));
        CHECK(reply.verdict == OperatorVerdict::applied);
        CHECK(reply.before->response->bytes_in_pieces == content_bytes);
    }
    SECTION("another answer, with no content like what is stored of this one") {
        const ResolveCompleted resolved{test::response(200, {})};
        CHECK(rig.operate(operator_command(request, claim.fence, resolved, Force::yes)).verdict == OperatorVerdict::applied);
        const auto existing = rig.meet(claim_request(1, 11));
        CHECK(existing.record.response->bytes_in_pieces == 0);
        CHECK(rig.find(request)->evidence == resolved_by_operator);
    }
    CHECK(rig.read_piece(lookup(request, claim)).empty());
}

TEST_CASE("the owner of a record that the store lost goes on with its pieces") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    REQUIRE(rig.append(piece_of(request, claim, 0)) == PieceVerdict::appended);
    if (!rig.kind().wipe()) {
        return;
    }
    REQUIRE(rig.append(piece_of(request, claim, 1)) == PieceVerdict::appended);
    REQUIRE(rig.append(piece_of(request, claim, 2)) == PieceVerdict::appended);
    CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::incomplete);
    REQUIRE(rig.append(piece_of(request, claim, 0)) == PieceVerdict::appended);
    CHECK(rig.apply(command(request, claim, answer_in_pieces())).verdict == CommandVerdict::rewritten);
    check_all_there(rig, request, claim);
}

}  // namespace onceward::contract
