#pragma once

#include "onceward/config/options.hpp"
#include "onceward/http/message.hpp"

#include <string>
#include <string_view>

namespace onceward::http {

/// Adds to the CORS fields of one answer what a browser needs to use keys (`cors` of spec section 4): only where the answer
/// carries CORS fields of its own.
class CorsFields {
public:
    /// `cors` may be null: nothing is added.
    CorsFields(const config::Cors* cors, const RequestHead& request);

    /// Writes an Access-Control-* line of the answer, extended where the configuration says so.
    void append(std::string& out, std::string_view name, std::string_view value);
    /// Behind the last field: the lines that the answer did not have.
    void finish(std::string& out) const;

private:
    bool allow_ = false;
    bool expose_ = false;
    bool preflight_ = false;
    bool has_origin_ = false;
    bool has_allow_ = false;
    bool has_expose_ = false;
};

}  // namespace onceward::http
