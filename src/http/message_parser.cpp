#include "onceward/http/message_parser.hpp"

// The only file that uses Beast, and only its grammar of heads. Compiled in place, so that this library needs none of Beast's and
// Asio's separately compiled parts.
#undef BOOST_BEAST_SEPARATE_COMPILATION

#include "http/framing.hpp"
#include "http/target.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <limits>

namespace onceward::http {

namespace {

namespace beast = boost::beast;
using beast::error_code;

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}
Version version_of(int number) {
    return number == 11 ? Version::http_1_1 : Version::http_1_0;
}

/// Fills a head from Beast's grammar. What Beast makes of the framing is not asked for: `http/framing` decides, and Beast's own
/// refusals come on top of it.
template <bool is_request, typename Head>
class HeadReader : public beast::http::basic_parser<is_request> {
public:
    explicit HeadReader(Head& head) : head_(head) {
        this->header_limit(std::numeric_limits<std::uint32_t>::max());
        this->body_limit(boost::none);
        this->skip(true);
    }

private:
    void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int version,
                         error_code&) override {
        if constexpr (is_request) {
            head_.method.assign(view(method));
            head_.target.assign(view(target));
            head_.version = version_of(version);
        }
    }
    void on_response_impl(int status, beast::string_view reason, int version, error_code&) override {
        if constexpr (!is_request) {
            head_.status = status;
            head_.reason.assign(view(reason));
            head_.version = version_of(version);
        }
    }
    void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value, error_code&) override {
        head_.headers.add(view(name), view(value));
    }
    void on_header_impl(error_code&) override {}
    void on_finish_impl(error_code&) override {}
    // Never reached: no byte behind the head is given to Beast.
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(beast::string_view content, error_code&) override { return content.size(); }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view content, error_code&) override { return content.size(); }

    Head& head_;
};

template <bool is_request, typename Head>
bool read_head(std::string_view text, Head& head) {
    head.clear();
    HeadReader<is_request, Head> reader(head);
    error_code ec;
    const std::size_t used = reader.put(boost::asio::const_buffer(text.data(), text.size()), ec);
    return !ec && used == text.size() && reader.is_header_done();
}

HeadError check_request(RequestHead& head, const HeadLimits& limits) {
    if (head.target.size() > limits.target) {
        return HeadError::target_too_long;
    }
    const HeadError error = read_target(head);
    return error == HeadError::none ? frame_request(head) : error;
}

constexpr unsigned interim_max = 100;
constexpr std::string_view bare_status_line = "HTTP/1.1 200";

}  // namespace

HeadResult RequestParser::parse_head(std::string_view buffered, RequestHead& head) {
    const auto scan = scanner_.scan(buffered);
    if (scan.state != ParseState::done) {
        return {scan.state, 0, scan.error};
    }
    const std::string_view text = buffered.substr(scanner_.begin(), scanner_.end() - scanner_.begin());
    if (!read_head<true>(text, head)) {
        return {ParseState::failed, 0, HeadError::bad_request};
    }
    if (const HeadError error = check_request(head, scanner_.limits()); error != HeadError::none) {
        return {ParseState::failed, 0, error};
    }
    body_.start(head.framing);
    return {ParseState::done, scanner_.end(), HeadError::none};
}

void ResponseParser::restart(std::string_view request_method) {
    scanner_.restart();
    to_head_ = request_method == "HEAD";
    interim_count_ = 0;
}

HeadResult ResponseParser::parse_head(std::string_view buffered, ResponseHead& head) {
    constexpr HeadResult refused{ParseState::failed, 0, HeadError::bad_request};
    const auto scan = scanner_.scan(buffered);
    if (scan.state != ParseState::done) {
        return {scan.state, 0, scan.error};
    }
    const std::size_t end = scanner_.end();
    std::string_view text = buffered.substr(0, end);
    if (text.substr(bare_status_line.size(), 2) == "\r\n") {
        completed_.assign(text.substr(0, bare_status_line.size())).append(" ").append(text.substr(bare_status_line.size()));
        text = completed_;
    }
    if (!read_head<false>(text, head) || head.status < 100 ||
        frame_response(head, to_head_ ? ToHead::yes : ToHead::no) != Framed::ok) {
        return refused;
    }
    body_.start(head.framing);
    if (is_interim(head.status)) {
        if (++interim_count_ > interim_max) {
            return refused;
        }
        scanner_.restart();
    }
    return {ParseState::done, end, HeadError::none};
}

}  // namespace onceward::http
