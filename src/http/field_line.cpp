#include "onceward/http/field_line.hpp"

namespace onceward::http {

void append_framing(std::string& out, const BodyFraming& framing) {
    if (framing.kind == BodyFraming::Kind::length) {
        append_number_field(out, "Content-Length", framing.length);
    } else if (framing.kind == BodyFraming::Kind::chunked) {
        out.append("Transfer-Encoding: chunked\r\n");
    }
}

void append_connection(std::string& out, ConnectionUse use, Version client_version) {
    if (use == ConnectionUse::close) {
        out.append("Connection: close\r\n");
    } else if (client_version == Version::http_1_0) {
        out.append("Connection: keep-alive\r\n");
    }
}

void append_via(std::string& out, Version received) {
    out.append(received == Version::http_1_1 ? "Via: 1.1 onceward\r\n" : "Via: 1.0 onceward\r\n");
}

}  // namespace onceward::http
