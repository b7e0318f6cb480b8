#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::request {

inline constexpr std::uint32_t json_depth_max = 128;

/// A JSON pointer (RFC 6901) as its unescaped reference tokens. Nothing when it is not one.
using JsonPointer = std::vector<std::string>;
std::optional<JsonPointer> parse_json_pointer(std::string_view text);

/// A JSON text (RFC 8259) as tokens: numbers keep their text, objects their duplicate members. Kept for reuse; not for two texts
/// at once.
class JsonDocument {
public:
    enum class Kind : std::uint8_t { object, array, string, number, literal };
    struct Node {
        Kind kind = Kind::literal;
        bool ignored = false;
        std::uint32_t name_at = 0;  ///< name of a member, unescaped
        std::uint32_t name_size = 0;
        std::uint32_t text_at = 0;  ///< a string unescaped, a number or literal as written; empty for containers
        std::uint32_t text_size = 0;
        std::uint32_t end = 0;  ///< index behind the last node inside
    };
    enum class Parsed : std::uint8_t { fine, invalid, too_deep };

    /// Invalid too: text that is not UTF-8, a lone surrogate, more than 4 GiB.
    Parsed parse(std::string_view text);

    /// In order of the text: a container is followed by what is in it.
    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
    [[nodiscard]] std::string_view name(const Node& node) const { return {text_.data() + node.name_at, node.name_size}; }
    [[nodiscard]] std::string_view text(const Node& node) const { return {text_.data() + node.text_at, node.text_size}; }

    enum class Found : std::uint8_t { absent, once, duplicate };
    struct Search {
        Found found = Found::absent;
        std::uint32_t index = 0;  ///< only when found once
    };
    /// `duplicate`: an object on the way has a member that the pointer names more than once.
    [[nodiscard]] Search find(const JsonPointer& pointer) const;

    void ignore(std::uint32_t index) { nodes_[index].ignored = true; }
    /// Gives memory back that a large text took.
    void release();

private:
    friend class JsonParser;
    [[nodiscard]] Search child(std::uint32_t parent, const std::string& token) const;

    std::vector<Node> nodes_;
    std::string text_;
};

}  // namespace onceward::request
