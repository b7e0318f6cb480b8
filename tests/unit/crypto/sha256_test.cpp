#include "onceward/crypto/sha256.hpp"

#include "catch.hpp"
#include "onceward/base/hex.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <thread>
#include <utility>

using namespace onceward;

namespace {
Digest digest_of(std::initializer_list<std::string_view> values) {
    crypto::Sha256 hash;
    for (const auto value : values) {
        hash.update_sized(value);
    }
    return hash.finish();
}
}  // namespace

TEST_CASE("a digest is SHA-256 as FIPS 180-4 gives it") {
    CHECK(base::to_hex(crypto::sha256("").bytes) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(base::to_hex(crypto::sha256("abc").bytes) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(base::to_hex(crypto::sha256(std::string(1'000'000, 'a')).bytes) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("pieces hash like the whole, also while other digests are under way") {
    crypto::Sha256 slow;
    slow.update("a");
    CHECK(crypto::sha256("abc") == crypto::sha256("abc"));
    crypto::Sha256 other;
    other.update("x");
    slow.update("bc");
    CHECK(slow.finish() == crypto::sha256("abc"));
    CHECK(other.finish() == crypto::sha256("x"));
}

TEST_CASE("a digest that was begun may be moved") {
    crypto::Sha256 first;
    first.update("ab");
    crypto::Sha256 second = std::move(first);
    second.update("c");
    crypto::Sha256 third;
    third = std::move(second);
    CHECK(third.finish() == crypto::sha256("abc"));
}

TEST_CASE("no two lists of values have one digest") {
    CHECK(digest_of({"ab", "c"}) != digest_of({"a", "bc"}));
    CHECK(digest_of({"", "a"}) != digest_of({"a", ""}));
    CHECK(digest_of({"a"}) != digest_of({"a", ""}));
    CHECK(digest_of({std::string_view("\0\0\0\0\0\0\0\1a", 9)}) != digest_of({"", "a"}));
}

TEST_CASE("appended lengths are the lengths that are hashed") {
    std::string text;
    crypto::append_sized(text, "ab");
    crypto::append_sized(text, "");
    CHECK(crypto::sha256(text) == digest_of({"ab", ""}));
    CHECK(text.size() == 18);
    CHECK(crypto::as_text(crypto::sha256("abc")).substr(0, 2) == "\xba\x78");
}

TEST_CASE("threads have contexts of their own") {
    std::optional<Digest> there;
    std::thread([&] { there = crypto::sha256("abc"); }).join();
    CHECK(there == crypto::sha256("abc"));
}
