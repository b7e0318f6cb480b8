#pragma once

#include "onceward/reply/problem_reply.hpp"

#include <string>

namespace onceward::reply {

/// The JSON object of a problem answer, in the format of its route.
void append_problem_body(std::string& out, const ProblemReply& in);

}  // namespace onceward::reply
