#include "onceward/guard/outcome.hpp"

#include "catch.hpp"

namespace onceward::guard {

namespace {
config::Outcomes lists(std::initializer_list<int> fail, std::initializer_list<int> hold) {
    config::Outcomes made;
    for (const int status : fail) {
        made.fail.add(status);
    }
    for (const int status : hold) {
        made.hold.add(status);
    }
    return made;
}
Outcome outcome(int status, const config::Outcomes& outcomes) {
    return judge({status, {}, false}, outcomes).outcome;
}
}  // namespace

TEST_CASE("hold wins over fail") {
    CHECK(outcome(500, lists({500}, {500})) == Outcome::unknown);
}

TEST_CASE("a status that the route's own list added is an answered failure") {
    CHECK(outcome(409, lists({409}, {})) == Outcome::failed_answered);
}

TEST_CASE("a proved status is not executed in any list that names it, and completes where none does") {
    CHECK(outcome(403, lists({403, 500}, {})) == Outcome::failed_not_executed);
    CHECK(outcome(403, lists({500}, {})) == Outcome::completed);
    CHECK(outcome(403, lists({}, {403})) == Outcome::unknown);
}

TEST_CASE("a status of no class frees no key, and holds it where a server error does") {
    const auto standard = config::outcomes_of(config::OutcomeProfile::standard);
    for (const int status : {600, 999}) {
        CHECK(outcome(status, standard) == Outcome::completed);
        CHECK(outcome(status, config::outcomes_of(config::OutcomeProfile::stripe)) == Outcome::completed);
        CHECK(outcome(status, config::outcomes_of(config::OutcomeProfile::strict)) == Outcome::unknown);
    }
}

TEST_CASE("strict holds every 5xx; stripe records 500") {
    const auto strict = config::outcomes_of(config::OutcomeProfile::strict);
    CHECK(outcome(500, strict) == Outcome::unknown);
    CHECK(outcome(599, strict) == Outcome::unknown);
    CHECK(outcome(429, strict) == Outcome::failed_not_executed);
    const auto stripe = config::outcomes_of(config::OutcomeProfile::stripe);
    CHECK(outcome(500, stripe) == Outcome::completed);
    CHECK(outcome(503, stripe) == Outcome::failed_answered);
    CHECK(outcome(502, stripe) == Outcome::unknown);
}

TEST_CASE("the service's own word is read without the blanks around it") {
    const std::string_view word = " executed\t";
    CHECK(judge({503, std::span(&word, 1), false}, lists({503}, {})).outcome == Outcome::completed);
}

TEST_CASE("a route that holds redirects holds one to itself as well") {
    CHECK(judge({307, {}, true}, lists({}, {307})).outcome == Outcome::unknown);
    CHECK(judge({307, {}, true}, lists({307}, {})).outcome == Outcome::failed_not_executed);
}

TEST_CASE("evidence says what was seen") {
    const std::string_view word = "not-executed";
    CHECK(judge({200, std::span(&word, 1), false}, {}).evidence == "outcome:not-executed");
    const std::string_view other = "perhaps";
    CHECK(judge({200, std::span(&other, 1), false}, {}).evidence == "outcome:unknown");
    CHECK(judge({503, {}, false}, lists({503}, {})).evidence == "status:503");
    CHECK(judge({200, {}, false}, lists({503}, {})).evidence.empty());
}

}  // namespace onceward::guard
