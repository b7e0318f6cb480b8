#pragma once

#include "onceward/http/headers.hpp"
#include "onceward/http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace onceward::http {

enum class ParseState : std::uint8_t { need_more, done, failed };

/// Bounds of what a peer can make a chunked message grow by, beside its content.
struct BodyLimits {
    std::size_t extension_bytes = 16 * 1024;  ///< of all chunk-size lines of one message, beyond the size digits
    std::size_t trailer_bytes = 16 * 1024;
    std::size_t trailer_count = 100;
};

/// Content of one message out of the bytes behind its head (RFC 9112 sections 6 and 7), without copying.
///
/// Bytes are taken in pieces of any size; the result does not depend on where they are cut. Trailers are kept apart and never
/// merged into a head. Reusable: `start` keeps capacity.
class BodyDecoder {
public:
    struct Step {
        ParseState state = ParseState::need_more;
        std::size_t consumed = 0;  ///< bytes of `buffered` that are finished with, `content` included
        /// Content in `buffered`; may be empty in any state. With `done` it is the last.
        std::string_view content;
    };
    struct Result {
        ParseState state = ParseState::need_more;
        std::size_t consumed = 0;
    };

    explicit BodyDecoder(const BodyLimits& limits = {}) : limits_(limits) {}

    /// Prepares for the content of a message with this framing.
    void start(const BodyFraming& framing);

    /// At most one piece of content. `need_more` without content means that all of `buffered` was consumed. After `done` bytes
    /// are left alone: they belong to the next message. After `failed` the connection is of no further use.
    Step next(std::string_view buffered);

    /// All that `buffered` holds: calls `sink(std::string_view)` for each piece. `need_more` means that all of it was consumed.
    template <typename Sink>
    Result feed(std::string_view buffered, Sink&& sink) {
        Result result{state(), 0};
        do {
            const Step step = next(buffered.substr(result.consumed));
            if (!step.content.empty()) {
                sink(step.content);
            }
            result.consumed += step.consumed;
            result.state = step.state;
        } while (result.state == ParseState::need_more && result.consumed < buffered.size());
        return result;
    }

    /// The peer closed: `done` when that is how the content ends, `failed` when it was cut short.
    ParseState on_eof();

    /// `done` from the start for a message without content.
    [[nodiscard]] ParseState state() const;
    /// Content bytes that are known to come still; 0 for chunked content between chunks.
    [[nodiscard]] std::uint64_t remaining() const { return remaining_; }
    /// Fields of a chunked message's trailer section, once `done`.
    [[nodiscard]] const HeaderList& trailers() const { return trailers_; }

private:
    enum class At : std::uint8_t {
        data,  ///< inside content of known length, or of a chunk
        until_close,
        size_first,  ///< chunk-size line: before its first digit
        size,        ///< chunk-size line: digits
        size_blank,  ///< chunk-size line: white space behind the digits
        extension,   ///< chunk-size line: behind the digits
        size_lf,     ///< chunk-size line: after its CR
        data_cr,     ///< behind the data of a chunk
        data_lf,
        trailer,
        done,
        failed
    };

    At on_framing_char(char c);
    At on_size_char(char c);
    At on_extension_char(char c);
    At on_size_line_end();
    At on_trailer_char(char c);
    bool parse_trailers();

    BodyLimits limits_;
    At at_ = At::done;
    bool chunked_ = false;
    bool quoted_ = false;          ///< in a quoted extension value
    bool escaped_ = false;         ///< after a backslash in one
    std::uint64_t remaining_ = 0;  ///< of the length or the chunk
    unsigned size_digits_ = 0;
    std::size_t extension_bytes_ = 0;
    std::string trailer_text_;
    HeaderList trailers_;
};

}  // namespace onceward::http
