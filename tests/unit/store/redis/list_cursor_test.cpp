#include "store/redis/list_cursor.hpp"

#include "catch.hpp"
#include "record_builders.hpp"

namespace onceward::store::redis {

TEST_CASE("a list's cursor is read as it was written") {
    ListCursor cursor{"18446744073709551615", {}};
    const auto count = GENERATE(0, 1, 200);
    for (int i = 0; i < count; ++i) {
        cursor.give(test::record_id(static_cast<std::uint64_t>(i)));
    }
    const auto text = to_text(cursor);
    CHECK(text.size() <= 4'096);
    const auto read = parse_list_cursor(text);
    REQUIRE(read);
    CHECK(read->scan == cursor.scan);
    CHECK(read->given == cursor.given);
    CHECK(read->has_given(test::record_id(0)) == (count > 0));
    CHECK_FALSE(read->has_given(test::record_id(200)));
}

TEST_CASE("no cursor is the beginning") {
    const auto read = parse_list_cursor("");
    REQUIRE(read);
    CHECK(read->scan == "0");
    CHECK(read->given.empty());
}

TEST_CASE("what is no cursor is refused") {
    const auto* text = GENERATE("x", " 1", "1 ", "-", "-0011223344556677", "1-0", "1-001122334455667", "1-00112233445566zz",
                                "1:2", "123456789012345678901");
    INFO(text);
    CHECK_FALSE(parse_list_cursor(text));
}

}  // namespace onceward::store::redis
