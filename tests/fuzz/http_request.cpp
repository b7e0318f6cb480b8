// What is accepted from a client, wherever its bytes are cut, reads the same again when it goes to the service.

#include "onceward/base/assert.hpp"
#include "onceward/http/chunked.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/http/message_parser.hpp"

#include <string>
#include <string_view>

using namespace onceward::http;

namespace {

constexpr HeadLimits small_limits{4096, 20, 512};
// With room for the fields that are added on the way.
constexpr HeadLimits ample_limits{8192, 40, 512};

struct Message {
    HeadResult result;
    ParseState body = ParseState::need_more;
    RequestHead head;
    std::string content;
};

Message parse(std::string_view text, std::size_t first_cut, const HeadLimits& limits = small_limits) {
    RequestParser parser(limits);
    Message message;
    for (const std::size_t size : {first_cut, text.size()}) {
        const std::string buffer(text.substr(0, size));
        message.result = parser.parse_head(buffer, message.head);
        if (message.result.state != ParseState::need_more) {
            break;
        }
    }
    if (message.result.state == ParseState::done) {
        const auto rest = text.substr(message.result.consumed);
        const auto keep = [&](std::string_view piece) { message.content.append(piece); };
        const auto start = parser.parse_body(rest.substr(0, first_cut), keep);
        message.body =
            start.state == ParseState::need_more ? parser.parse_body(rest.substr(start.consumed), keep).state : start.state;
    }
    return message;
}

std::string forward(const Message& message) {
    std::string out;
    append_request_head(out, {.head = message.head, .framing = message.head.framing, .default_host = "service"});
    if (message.head.framing.kind != BodyFraming::Kind::chunked) {
        return out + message.content;
    }
    append_chunk(out, message.content);
    return out.append(last_chunk);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto whole = parse(text, text.size());
    const auto cut = parse(text, data[0] % text.size());
    ONCEWARD_ASSERT(whole.result.state == cut.result.state && whole.result.error == cut.result.error && whole.body == cut.body);
    ONCEWARD_ASSERT(whole.content == cut.content && whole.result.consumed == cut.result.consumed);
    if (whole.body == ParseState::done) {
        const auto again = parse(forward(whole), 1, ample_limits);
        ONCEWARD_ASSERT(again.body == ParseState::done && again.content == whole.content);
        ONCEWARD_ASSERT(again.head.method == whole.head.method && again.head.path == whole.head.path);
        ONCEWARD_ASSERT(again.head.has_query == whole.head.has_query && again.head.query == whole.head.query);
        ONCEWARD_ASSERT(again.head.framing.kind == whole.head.framing.kind &&
                        again.head.framing.length == whole.head.framing.length);
        ONCEWARD_ASSERT(again.head.host == (whole.head.host.empty() ? "service" : whole.head.host));
    }
    return 0;
}
