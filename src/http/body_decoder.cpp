#include "onceward/http/body_decoder.hpp"

#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <limits>

namespace onceward::http {

namespace {

// Enough for 2^63 - 1 with leading zeros (RFC 9112 section 7.1 sets no bound).
constexpr unsigned size_digits_max = 32;

int hex_value(char c) {
    const char lower = base::to_lower(c);
    if (base::is_digit(c)) {
        return c - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

}  // namespace

void BodyDecoder::start(const BodyFraming& framing) {
    chunked_ = framing.kind == BodyFraming::Kind::chunked;
    remaining_ = framing.kind == BodyFraming::Kind::length ? framing.length : 0;
    quoted_ = escaped_ = false;
    size_digits_ = 0;
    extension_bytes_ = 0;
    trailer_text_.clear();
    trailers_.clear();
    switch (framing.kind) {
        case BodyFraming::Kind::none:
            at_ = At::done;
            break;
        case BodyFraming::Kind::length:
            at_ = remaining_ > 0 ? At::data : At::done;
            break;
        case BodyFraming::Kind::chunked:
            at_ = At::size_first;
            break;
        case BodyFraming::Kind::until_close:
            at_ = At::until_close;
            break;
    }
}

ParseState BodyDecoder::state() const {
    return at_ == At::done ? ParseState::done : at_ == At::failed ? ParseState::failed : ParseState::need_more;
}

BodyDecoder::Step BodyDecoder::next(std::string_view buffered) {
    std::size_t used = 0;
    while (used < buffered.size()) {
        switch (at_) {
            case At::done:
            case At::failed:
                return {state(), used, {}};
            case At::until_close:
                return {ParseState::need_more, buffered.size(), buffered};
            case At::data: {
                const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, buffered.size() - used));
                remaining_ -= size;
                if (remaining_ == 0) {
                    at_ = chunked_ ? At::data_cr : At::done;
                }
                return {state(), used + size, buffered.substr(used, size)};
            }
            default:
                at_ = on_framing_char(buffered[used++]);
        }
    }
    return {state(), used, {}};
}

BodyDecoder::At BodyDecoder::on_framing_char(char c) {
    switch (at_) {
        case At::size_first:
        case At::size:
            return on_size_char(c);
        case At::size_blank:
            // RFC 9112 section 7.1.1: white space may stand before an extension, but not alone.
            return c == ';'                                                                   ? At::extension
                   : (c == ' ' || c == '\t') && ++extension_bytes_ <= limits_.extension_bytes ? At::size_blank
                                                                                              : At::failed;
        case At::extension:
            return on_extension_char(c);
        case At::size_lf:
            return c == '\n' ? on_size_line_end() : At::failed;
        case At::data_cr:
            return c == '\r' ? At::data_lf : At::failed;
        case At::data_lf:
            return c == '\n' ? At::size_first : At::failed;
        case At::trailer:
            return on_trailer_char(c);
        default:
            return At::failed;
    }
}

BodyDecoder::At BodyDecoder::on_size_char(char c) {
    if (const int digit = hex_value(c); digit >= 0) {
        constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (at_ == At::size_first) {
            size_digits_ = 0;
        }
        if (++size_digits_ > size_digits_max || remaining_ > max >> 4U) {
            return At::failed;
        }
        remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(digit);
        return At::size;
    }
    if (at_ == At::size_first) {
        return At::failed;
    }
    switch (c) {
        case '\r':
            return At::size_lf;
        case ';':
            return At::extension;
        case ' ':
        case '\t':
            return At::size_blank;
        default:
            return At::failed;
    }
}

BodyDecoder::At BodyDecoder::on_extension_char(char c) {
    if (c == '\r' && !quoted_) {
        return At::size_lf;
    }
    if (is_control(c) || ++extension_bytes_ > limits_.extension_bytes) {
        return At::failed;
    }
    if (escaped_) {
        escaped_ = false;
    } else if (c == '"') {
        quoted_ = !quoted_;
    } else {
        escaped_ = quoted_ && c == '\\';
    }
    return At::extension;
}

BodyDecoder::At BodyDecoder::on_size_line_end() {
    return remaining_ > 0 ? At::data : At::trailer;
}

BodyDecoder::At BodyDecoder::on_trailer_char(char c) {
    const bool after_cr = !trailer_text_.empty() && trailer_text_.back() == '\r';
    if (after_cr != (c == '\n') || trailer_text_.size() >= limits_.trailer_bytes) {
        return At::failed;
    }
    trailer_text_ += c;
    const std::string_view text = trailer_text_;
    const bool complete = text == "\r\n" || (text.size() >= 4 && text.substr(text.size() - 4) == "\r\n\r\n");
    if (!complete) {
        return At::trailer;
    }
    return parse_trailers() ? At::done : At::failed;
}

bool BodyDecoder::parse_trailers() {
    const std::string_view text = trailer_text_;
    for (std::size_t start = 0; text.substr(start) != "\r\n";) {
        const std::size_t end = text.find('\r', start);
        const std::string_view line = text.substr(start, end - start);
        const std::size_t colon = std::min(line.find(':'), line.size());
        if (colon == line.size() || !base::is_token(line.substr(0, colon)) || std::any_of(line.begin(), line.end(), is_control) ||
            trailers_.size() == limits_.trailer_count) {
            return false;
        }
        trailers_.add(line.substr(0, colon), base::trim(line.substr(colon + 1)));
        start = end + 2;
    }
    return true;
}

ParseState BodyDecoder::on_eof() {
    if (at_ != At::done) {
        at_ = at_ == At::until_close ? At::done : At::failed;
    }
    return state();
}

}  // namespace onceward::http
