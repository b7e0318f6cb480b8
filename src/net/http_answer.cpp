#include "net/http_answer.hpp"

#include "onceward/http/date.hpp"
#include "onceward/http/field_line.hpp"
#include "onceward/http/reason.hpp"

namespace onceward::net {

void append_answer(std::string& out, const HttpAnswer& answer, std::string_view method, http::ConnectionUse use,
                   std::chrono::sys_seconds now) {
    http::append_status_line(out, answer.status, http::reason_phrase(answer.status));
    out += "Date: ";
    http::append_date(out, now);
    out += "\r\n";
    http::append_field(out, "Content-Type", answer.content_type);
    http::append_number_field(out, "Content-Length", answer.body.size());
    out += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
    out += answer.fields;
    // Said in both cases: HTTP/1.0 clients wait for the first, HTTP/1.1 clients for the second.
    http::append_field(out, "Connection", use == http::ConnectionUse::close ? "close" : "keep-alive");
    out += "\r\n";
    if (method != "HEAD") {
        out += answer.body;
    }
}

}  // namespace onceward::net
