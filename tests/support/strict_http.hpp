#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// A second reading of HTTP/1.1 messages (RFC 9112), for tests: it shares nothing with `src/http`, so that the two can be held
/// against each other. Where the RFC lets a recipient choose, it takes what can be read in one way only:
/// - HTTP/1.0 and 1.1; one empty line before a request line;
/// - `chunked` is the only transfer coding, alone, in HTTP/1.1, and never beside Content-Length;
/// - a Content-Length that is repeated with the same value is one in a response (RFC 9110 section 8.6) and an error in a request;
/// - a status line may lack the space before an empty reason phrase;
/// - a target is any visible ASCII but `#`, an extension of a chunk any text without controls: neither moves an end.

namespace onceward::test {

struct StrictField {
    std::string name;
    std::string value;  ///< without the white space around it
    friend bool operator==(const StrictField&, const StrictField&) = default;
};
using StrictFields = std::vector<StrictField>;

bool same_name(std::string_view a, std::string_view b);
std::size_t count_fields(const StrictFields& fields, std::string_view name);
/// The value of the first of them; empty: there is none.
std::string_view field_value(const StrictFields& fields, std::string_view name);
/// Members of the comma-separated lists of all fields of that name, without empty ones.
std::vector<std::string> list_members(const StrictFields& fields, std::string_view name);
bool has_member(const StrictFields& fields, std::string_view name, std::string_view member);

/// How far a message is there.
enum class Extent : std::uint8_t {
    whole,
    cut,    ///< the bytes end before the message does
    broken  ///< what follows its head is not the content that it announces
};

enum class Coding : std::uint8_t { none, length, chunked, until_close };

struct StrictMessage {
    int minor_version = 1;
    StrictFields fields;
    Coding coding = Coding::none;
    std::string content;  ///< decoded, as far as it is there
    StrictFields trailers;
    Extent extent = Extent::whole;
    bool persists = true;  ///< another message may follow (RFC 9112 section 9.3)
};

struct StrictRequest : StrictMessage {
    std::string method;
    std::string target;     ///< as sent
    std::string path;       ///< of the target, with its query; `*` for asterisk-form
    std::string authority;  ///< of absolute-form, else of Host
};

struct StrictResponse : StrictMessage {
    int status = 0;
    std::string reason;
};

/// What became of the peer that sent the bytes.
enum class StreamEnd : std::uint8_t { open, closed, reset };

/// Messages of one direction of a connection, one after the other. `bytes` must stay.
class StrictReader {
public:
    explicit StrictReader(std::string_view bytes, StreamEnd end = StreamEnd::open) : rest_(bytes), end_(end) {}

    /// The next message whose head is whole and valid. Nothing: none is there, `rest` is what is left; it is no head when
    /// `malformed`. Behind a message that is not whole, or that ends the connection, there is none.
    std::optional<StrictRequest> next_request();
    std::optional<StrictResponse> next_response(std::string_view request_method);

    [[nodiscard]] bool malformed() const { return malformed_; }
    [[nodiscard]] std::string_view rest() const { return rest_; }

private:
    bool take_line(std::string_view& line);
    bool take_fields(StrictFields& fields);
    bool take_head(std::string_view& start, StrictFields& fields);
    void take_content(StrictMessage& message, std::uint64_t length);
    Extent take_chunks(StrictMessage& message);
    void fail() { malformed_ = ended_ = true; }

    std::string_view rest_;
    StreamEnd end_;
    bool ended_ = false;
    bool malformed_ = false;
};

}  // namespace onceward::test
