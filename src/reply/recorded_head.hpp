#pragma once

#include "onceward/http/field_kind.hpp"

#include <string_view>

namespace onceward::reply {

/// Reads `guard::RecordedResponse::head` again, trusting nothing: the store's bytes may be another program's.
class RecordedHead {
public:
    struct Field {
        std::string_view name;
        std::string_view value;
        http::FieldKind kind = http::FieldKind::other;
    };

    explicit RecordedHead(std::string_view text);

    [[nodiscard]] std::string_view reason() const { return reason_; }
    /// The next field; false at the end, or at the first line that can't be sent. See `valid`.
    bool next(Field& field);
    [[nodiscard]] bool valid() const { return valid_; }

private:
    std::string_view take_line();

    std::string_view rest_;
    std::string_view reason_;
    bool valid_ = true;
};

}  // namespace onceward::reply
