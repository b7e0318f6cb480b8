#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::store::redis {

enum class ValueKind : std::uint8_t { nil, status, error, integer, bulk };

struct Value {
    ValueKind kind = ValueKind::nil;
    std::string_view text;  ///< status, error and bulk
    std::int64_t integer = 0;
};

/// A reply of the server: one value, or a flat array of them. Nothing that this store asks for has a nested reply.
struct Reply {
    bool is_array = false;
    std::vector<Value> values;

    [[nodiscard]] bool is_error() const { return !is_array && values.front().kind == ValueKind::error; }
    /// Of a single value.
    [[nodiscard]] const Value& value() const { return values.front(); }
};

/// Bytes in, replies out. hiredis parses; the memory is this object's and used again for each reply.
class ReplyReader {
public:
    /// More than any reply here has.
    static constexpr std::size_t array_max = 65'536;
    /// Longest string that a server keeps, and some framing.
    static constexpr std::size_t reply_bytes_max = 513 * std::size_t{1024} * 1024;

    ReplyReader();
    ~ReplyReader();
    ReplyReader(const ReplyReader&) = delete;
    ReplyReader& operator=(const ReplyReader&) = delete;

    void feed(std::string_view bytes);
    /// The next whole reply, valid until the next call of any member; null when more bytes are needed or the input is broken.
    const Reply* next();
    /// The input is not RESP2, or over a limit. Final until `reset`.
    [[nodiscard]] bool is_broken() const { return broken_; }
    /// Forgets everything: for the bytes of a new connection.
    void reset();

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
    std::size_t pending_bytes_ = 0;
    bool broken_ = false;
};

}  // namespace onceward::store::redis
