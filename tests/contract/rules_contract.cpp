#include "catch.hpp"
#include "rig.hpp"

namespace onceward::contract {

TEST_CASE("the rules that were left are handed to whoever leaves others, unless records don't outlive the process") {
    Rig rig;
    const bool kept = rig.info().survives_crash;
    const std::string first = R"({"routes":[{"name":"orders","path":"/orders"}]})";
    const std::string second(300'000, 'x');
    CHECK(rig.replace_rules(first).empty());
    CHECK(rig.replace_rules(second, 1) == (kept ? first : ""));
    CHECK(rig.replace_rules(second, Rig::loop_count - 1) == (kept ? second : ""));
    CHECK(rig.replace_rules(first) == (kept ? second : ""));
    CHECK(rig.list({}).records.empty());
}

}  // namespace onceward::contract
