#include "onceward/base/ascii.hpp"

#include "catch.hpp"

#include <algorithm>
#include <string>

using namespace onceward;

namespace {

/// Byte by byte, as one would write it first.
bool equal_slowly(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return base::to_lower(x) == base::to_lower(y); });
}

}  // namespace

TEST_CASE("only the case of ASCII letters is disregarded, at every place of a text of any length") {
    for (std::size_t size = 1; size <= 20; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            for (int first = 0; first < 256; ++first) {
                std::string a(size, 'k');
                std::string b(size, 'K');
                a[at] = static_cast<char>(first);
                for (const int second : {first, first ^ 0x20, first ^ 0x80, first + 1, int{'a'}, int{'Z'}}) {
                    b[at] = static_cast<char>(second);
                    if (base::iequals(a, b) != equal_slowly(a, b)) {
                        FAIL("size " << size << ", place " << at << ": " << first << " and " << (second & 0xff));
                    }
                }
            }
        }
    }
    CHECK(base::iequals("", ""));
    CHECK_FALSE(base::iequals("Content-Length", "Content-Lengt"));
    CHECK(base::iequals("Idempotency-Key", "idempotency-KEY"));
}

TEST_CASE("quotes around a value are taken off once") {
    CHECK(base::unquoted("\"5\"") == "5");
    CHECK(base::unquoted("5") == "5");
    CHECK(base::unquoted("\"\"").empty());
    CHECK(base::unquoted("\"") == "\"");
    CHECK(base::unquoted("\"a") == "\"a");
}
