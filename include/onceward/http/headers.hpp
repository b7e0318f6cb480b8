#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::http {

/// Header fields as they were received: order, repeats, case and bytes are kept (spec sections 2.8 and 7).
///
/// All text lives in one buffer that keeps its capacity over `clear()`, so that a session which reuses its list
/// allocates nothing for a typical request. Views are valid until the next `add` or `clear`.
/// Not thread-safe; owned by one session or execution.
class HeaderList {
public:
    struct Field {
        std::uint32_t name_at;
        std::uint32_t name_size;
        std::uint32_t value_at;
        std::uint32_t value_size;
    };

    void clear();
    /// Appends a field. The value is stored as given; the caller has trimmed it.
    void add(std::string_view name, std::string_view value);

    [[nodiscard]] std::size_t size() const { return fields_.size(); }
    [[nodiscard]] bool empty() const { return fields_.empty(); }
    [[nodiscard]] std::string_view name(std::size_t i) const;
    [[nodiscard]] std::string_view value(std::size_t i) const;

    /// Number of fields with this name, compared without case.
    [[nodiscard]] std::size_t count(std::string_view name) const;
    /// Value of the first field with this name; `nullptr`-like empty view with `data() == nullptr` when absent.
    [[nodiscard]] std::string_view find(std::string_view name) const;
    [[nodiscard]] bool contains(std::string_view name) const { return find(name).data() != nullptr; }
    /// Some field of this name has `token` as a list member, without case (RFC 9110 section 5.6.1).
    [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const;

    /// Calls `each(name, value)` in the order received.
    template <typename Each>
    void for_each(Each&& each) const {
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            each(name(i), value(i));
        }
    }
    /// Calls `each(value)` for every field with this name, in order.
    template <typename Each>
    void for_each_value(std::string_view wanted, Each&& each) const {
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (matches(i, wanted)) {
                each(value(i));
            }
        }
    }

    /// Bytes of all names and values.
    [[nodiscard]] std::size_t text_bytes() const { return text_.size(); }

private:
    [[nodiscard]] bool matches(std::size_t i, std::string_view wanted) const;

    std::string text_;
    std::vector<Field> fields_;
};

}  // namespace onceward::http
