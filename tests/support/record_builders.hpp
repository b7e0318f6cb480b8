#pragma once

#include "onceward/guard/operator_command.hpp"

#include <cstdint>
#include <cstring>
#include <string>

/// @file
/// Requests and commands for tests of records, told apart by small numbers.

namespace onceward::test {

template <typename Bytes>
Bytes bytes_of(std::uint64_t number) {
    Bytes made;
    static_assert(Bytes::size >= sizeof number);
    // The number stands at the front and at the back: stores look at either end.
    std::memcpy(made.bytes.data(), &number, sizeof number);
    std::memcpy(made.bytes.data() + Bytes::size - sizeof number, &number, sizeof number);
    return made;
}

inline OwnerToken owner_token(std::uint64_t number) {
    return bytes_of<OwnerToken>(number);
}
inline RecordId record_id(std::uint64_t number) {
    return bytes_of<RecordId>(number);
}
inline Digest digest(std::uint64_t number) {
    return bytes_of<Digest>(number);
}

/// The request with body number `body`, of caller number `caller`, looked at under fingerprint configuration number `version`.
inline guard::RequestIdentity identity(std::uint64_t body = 1, std::uint64_t caller = 1, std::uint64_t version = 1) {
    guard::RequestIdentity made;
    made.version = bytes_of<guard::FingerprintVersion>(version);
    // Another configuration gives another fingerprint to the same bytes.
    made.fingerprint = digest(body * 1'000 + version);
    made.raw = digest(body);
    made.caller = digest(caller);
    made.parts = "method=aa,path=bb,query=cc,body=" + std::to_string(body);
    return made;
}

inline guard::RecordedResponse response(int status = 201, std::string body = "made", std::uint64_t digest_number = 1) {
    guard::RecordedResponse made;
    made.status = status;
    made.head = "Created\r\nContent-Type: text/plain\r\n";
    made.body = std::move(body);
    made.digest = digest(digest_number);
    return made;
}

/// A claim that no deadline stops.
inline guard::ClaimRequest claim_request(std::uint64_t id, std::uint64_t owner, guard::RequestIdentity who = identity()) {
    guard::ClaimRequest made;
    made.id = record_id(id);
    made.route = "create-order";
    made.owner = owner_token(owner);
    made.deadline = StoreTime::max();
    made.identity = std::move(who);
    made.operation_id = {static_cast<std::int64_t>(owner + 1'000'000)};
    return made;
}

/// What the owner that `request` made sends next.
inline guard::Command command(const guard::ClaimRequest& request, const guard::Claim& claim, guard::Action action) {
    return {request.id, request.route, claim, request.identity, request.lifetimes, std::move(action)};
}

/// An operator's word on the record of `request`, who saw it with `fence`.
inline guard::OperatorCommand operator_command(const guard::ClaimRequest& request, Fence fence, guard::OperatorAction action,
                                               guard::Force force = guard::Force::no) {
    guard::OperatorCommand made;
    made.id = request.id;
    made.route = request.route;
    made.fence = fence;
    made.force = force;
    made.lifetimes = request.lifetimes;
    made.action = std::move(action);
    return made;
}

}  // namespace onceward::test
