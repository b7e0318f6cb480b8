#include "onceward/store/store.hpp"

#include "catch.hpp"

#include <set>

namespace onceward::store {

TEST_CASE("only a command that got no reply may have been written") {
    CHECK(may_have_been_written(StoreErrc::timed_out));
    CHECK(may_have_been_written(StoreErrc::lost));
    CHECK_FALSE(may_have_been_written(StoreErrc::unavailable));
    CHECK_FALSE(may_have_been_written(StoreErrc::corrupt));
    CHECK_FALSE(may_have_been_written(StoreErrc::rejected));
    CHECK_FALSE(may_have_been_written(error_code{}));
    // Nobody knows what a foreign error stands for.
    CHECK(may_have_been_written(boost::system::errc::make_error_code(boost::system::errc::broken_pipe)));
}

TEST_CASE("each store error has a text of its own") {
    std::set<std::string> texts;
    for (const auto errc :
         {StoreErrc::unavailable, StoreErrc::timed_out, StoreErrc::lost, StoreErrc::corrupt, StoreErrc::rejected}) {
        const error_code ec = errc;
        CHECK(std::string(ec.category().name()) == "onceward.store");
        texts.insert(ec.message());
    }
    CHECK(texts.size() == 5);
}

}  // namespace onceward::store
