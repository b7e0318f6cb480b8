#include "store/redis/list_cursor.hpp"

#include "catch.hpp"
#include "record_builders.hpp"

namespace onceward::store::redis {

TEST_CASE("a list's cursor is read as it was written") {
    ListCursor cursor{"18446744073709551615", ListCursor::count_max, {}};
    const auto count = GENERATE(0, 1, 200);
    for (int i = 0; i < count; ++i) {
        cursor.give(test::record_id(static_cast<std::uint64_t>(i)));
    }
    const auto text = to_text(cursor);
    CHECK(text.size() <= 4'096);
    const auto read = parse_list_cursor(text);
    REQUIRE(read);
    CHECK(read->scan == cursor.scan);
    CHECK(read->count == (count > 0 ? cursor.count : 0));
    CHECK(read->given == cursor.given);
    CHECK(read->has_given(test::record_id(0)) == (count > 0));
    CHECK_FALSE(read->has_given(test::record_id(200)));
}

TEST_CASE("a cursor forgets what a step met, and the oldest when it holds too many") {
    ListCursor cursor;
    for (std::uint64_t number = 0; number <= ListCursor::given_max; ++number) {
        cursor.give(test::record_id(number));
    }
    CHECK(cursor.given.size() == ListCursor::given_max);
    CHECK_FALSE(cursor.has_given(test::record_id(0)));
    CHECK(cursor.has_given(test::record_id(1)));
    cursor.meet(test::record_id(1));
    CHECK_FALSE(cursor.has_given(test::record_id(1)));
    CHECK(cursor.has_given(test::record_id(2)));
    CHECK(cursor.given.size() == ListCursor::given_max - 1);
}

TEST_CASE("no cursor is the beginning") {
    const auto read = parse_list_cursor("");
    REQUIRE(read);
    CHECK(read->scan == "0");
    CHECK(read->given.empty());
}

TEST_CASE("what is no cursor is refused") {
    const auto* text = GENERATE("x", " 1", "1 ", "-", "-0011223344556677", "1-0", "1-7", "1-7-", "1--", "1-0011223344556677",
                                "1-0-0011223344556677", "1-101-0011223344556677", "1--0011223344556677", "1-+7-0011223344556677",
                                "1-7 -0011223344556677", "1-99999999999999999999-0011223344556677", "1-7-001122334455667",
                                "1-7-00112233445566zz", "1-7-0011223344556677-", "1:2", "123456789012345678901");
    INFO(text);
    CHECK_FALSE(parse_list_cursor(text));
}

TEST_CASE("a cursor that names more than any step gives is refused") {
    const std::string id = "0011223344556677";
    std::string text = "1-7-";
    for (std::size_t i = 0; i < ListCursor::given_max; ++i) {
        text += id;
    }
    CHECK(parse_list_cursor(text));
    CHECK_FALSE(parse_list_cursor(text + id));
}

}  // namespace onceward::store::redis
