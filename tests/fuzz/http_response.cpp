// What is accepted from a service, wherever its bytes are cut, reads the same again for the client, first or replayed.

#include "onceward/base/assert.hpp"
#include "onceward/http/chunked.hpp"
#include "onceward/http/message_parser.hpp"
#include "onceward/reply/replay.hpp"

#include <string>
#include <string_view>

using namespace onceward;
using namespace onceward::http;

namespace {

constexpr HeadLimits small_limits{4096, 20, 0};
// With room for the fields that are added on the way.
constexpr HeadLimits ample_limits{8192, 40, 0};

struct Message {
    HeadResult result;
    ParseState body = ParseState::need_more;
    ResponseHead head;
    std::string content;
};

Message parse(std::string_view text, std::size_t first_cut, const HeadLimits& limits = small_limits) {
    ResponseParser parser(limits);
    parser.restart("POST");
    Message message;
    for (const std::size_t size : {first_cut, text.size()}) {
        message.result = parser.parse_head(std::string(text.substr(0, size)), message.head);
        if (message.result.state != ParseState::need_more) {
            break;
        }
    }
    if (message.result.state == ParseState::done) {
        const auto keep = [&](std::string_view piece) { message.content.append(piece); };
        const auto rest = text.substr(message.result.consumed);
        const auto start = parser.parse_body(rest.substr(0, first_cut), keep);
        if (start.state == ParseState::need_more) {
            parser.parse_body(rest.substr(start.consumed), keep);
        }
        message.body = parser.on_eof();
    }
    return message;
}

std::string forward(const Message& message, const RequestHead& request) {
    std::string out;
    const auto plan = plan_response(message.head, request);
    append_response_head(out, {.head = message.head, .request = request, .plan = plan});
    if (plan.framing.kind != BodyFraming::Kind::chunked) {
        return out + message.content;
    }
    append_chunk(out, message.content);
    return out.append(last_chunk);
}

std::string replay(const Message& message, const RequestHead& request) {
    guard::Record record;
    record.response.emplace();
    record.response->status = message.head.status;
    record.response->body = message.content;
    reply::append_recorded_head(record.response->head, message.head, {}, "POST");
    const reply::Replay in{.record = record, .request = request};
    std::string out;
    ONCEWARD_ASSERT(reply::append_replay_head(out, in) == reply::ReplayError::none);
    return out.append(reply::replay_body(in));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto whole = parse(text, text.size());
    const auto cut = parse(text, data[0] % text.size());
    ONCEWARD_ASSERT(whole.result.state == cut.result.state && whole.body == cut.body && whole.content == cut.content);
    if (whole.body != ParseState::done || whole.head.status < 200) {
        return 0;
    }
    RequestHead request;
    request.method = "POST";
    for (const auto& sent : {forward(whole, request), replay(whole, request)}) {
        const auto again = parse(sent, 1, ample_limits);
        ONCEWARD_ASSERT(again.body == ParseState::done && again.content == whole.content);
        ONCEWARD_ASSERT(again.head.status == whole.head.status && again.head.reason == whole.head.reason);
    }
    return 0;
}
