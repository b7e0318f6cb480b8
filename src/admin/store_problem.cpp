#include "admin/store_problem.hpp"

#include "admin/problem.hpp"
#include "onceward/store/store.hpp"

namespace onceward::admin {

net::HttpAnswer store_problem(const boost::system::error_code& error) {
    if (error == store::StoreErrc::bad_cursor) {
        return bad_request("cursor: expected next_cursor of a page of this store");
    }
    if (error == store::StoreErrc::rejected) {
        return problem(503, "STORE_REJECTED",
                       "the store refuses this command: its user lacks a right, or it has no room; the log says more");
    }
    if (error == store::StoreErrc::corrupt) {
        return problem(503, "STORE_CORRUPT", "the record can't be read: it is junk, or of a newer version");
    }
    auto answer = problem(503, "STORE_UNAVAILABLE", "the store does not answer: " + error.message());
    answer.fields = "Retry-After: 1\r\n";
    return answer;
}

}  // namespace onceward::admin
