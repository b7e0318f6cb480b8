#include "catch.hpp"
#include "onceward/guard/problem.hpp"

#include <fstream>
#include <string>
#include <vector>

namespace onceward::guard {

namespace {

/// The rows of the table of codes in config/clients.md, each without what it means.
std::vector<std::string> documented_rows() {
    std::ifstream file(std::string(ONCEWARD_CONFIG_DIR) + "/clients.md");
    REQUIRE(file);
    std::vector<std::string> rows;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("| code |")) {
            inside = true;
            std::getline(file, line);
            continue;
        }
        inside = inside && line.starts_with("|");
        if (inside) {
            const auto meaning = line.rfind(" | ");
            CHECK(line.size() > meaning + std::string(" |  |").size());
            rows.push_back(line.substr(0, meaning));
        }
    }
    return rows;
}

std::string row_of(const ProblemInfo& problem) {
    std::string row = "| `";
    row.append(problem.name).append("` | ").append(std::to_string(problem.status));
    row.append(" | `").append(to_text(problem.retry)).append("` | `").append(to_text(status_of(problem.code))).append("`");
    return row;
}

}  // namespace

TEST_CASE("the documentation for clients has every code, with its status, retry and idempotency status") {
    std::vector<std::string> expected;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(ProblemCode::overloaded); ++i) {
        expected.push_back(row_of(info(static_cast<ProblemCode>(i))));
    }
    CHECK(documented_rows() == expected);
}

}  // namespace onceward::guard
