#include "admin/store_problem.hpp"

#include "admin/problem.hpp"
#include "onceward/store/store.hpp"

namespace onceward::admin {

net::HttpAnswer store_problem(const boost::system::error_code& error) {
    if (error == store::StoreErrc::rejected) {
        return problem(400, "REJECTED", "the store refuses this: the cursor is not one of its own, or its user lacks a right");
    }
    if (error == store::StoreErrc::corrupt) {
        return problem(503, "STORE_CORRUPT", "the record can't be read: it is junk, or of a newer version");
    }
    auto answer = problem(503, "STORE_UNAVAILABLE", "the store does not answer: " + error.message());
    answer.fields = "Retry-After: 1\r\n";
    return answer;
}

}  // namespace onceward::admin
