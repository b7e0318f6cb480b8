#pragma once

#include "net/http_answer.hpp"

#include <boost/system/error_code.hpp>

namespace onceward::admin {

/// What a failure of the store is to whoever asked: 503, or 400 for a cursor that is not the store's.
net::HttpAnswer store_problem(const boost::system::error_code& error);

}  // namespace onceward::admin
