#pragma once

#include "record_builders.hpp"

#include <string>

/// @file
/// Records as Redis keeps them, for tests that read them.

namespace onceward::test {

/// The words of a record's text, each as it may stand there.
struct RecordWords {
    std::string version = "2";
    std::string state = "COMPLETED ";
    std::string may = "0";
    std::string owner = std::string(32, 'b');
    std::string until = "000000000000000400";
    std::string identity = std::string(16, 'a') + std::string(3 * 64, 'c');
    std::string last_owner = "-";
    std::string fence = "1700000000000001";
    std::string attempt = "2";
    std::string operation_id = "9007199254740993";
    std::string created_at = "100";
    std::string parts = "body=1";
    std::string updated_at = "200";
    std::string other = "300";
    std::string forget_at = "500";
    std::string failure = "-";
    std::string answer = "201 0 " + std::string(64, 'd') + " 9 4";
    std::string evidence;

    [[nodiscard]] std::string text() const {
        return version + ' ' + state + ' ' + may + ' ' + owner + ' ' + until + ' ' + identity + ' ' + last_owner + ' ' + fence +
               ' ' + attempt + ' ' + operation_id + ' ' + created_at + ' ' + parts + '\n' + updated_at + ' ' + other + ' ' +
               forget_at + ' ' + failure + (answer.empty() ? "" : ' ' + answer) + '\n' + evidence;
    }
};

/// Of any state: leases end at 300, UNKNOWN and COMPLETED are kept until 400 and their tombstones until 500.
inline RecordWords record_words(const std::string& state) {
    constexpr std::size_t state_width = 10;
    RecordWords words;
    words.state = state + std::string(state_width - state.size(), ' ');
    if (state == "PROCESSING") {
        words.until = "000000000000000300";
        words.other = "400";
    }
    if (state == "FAILED") {
        words.failure = "answered";
        words.evidence = "status:500";
    }
    if (state == "UNKNOWN") {
        words.evidence = "reset";
    }
    if (state != "COMPLETED") {
        words.answer.clear();
    }
    return words;
}

/// What `RecordWords` is made for by default.
inline guard::ClaimRequest request_of_words() {
    constexpr std::uint8_t version_byte = 0xaa, digest_byte = 0xcc;
    guard::ClaimRequest request;
    request.owner = owner_token(1);
    request.route = "orders";
    request.identity.version.bytes.fill(version_byte);
    for (auto* digest : {&request.identity.fingerprint, &request.identity.raw, &request.identity.caller}) {
        digest->bytes.fill(digest_byte);
    }
    request.identity.parts = "body=1";
    return request;
}

}  // namespace onceward::test
