#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace onceward::config {

/// Where something stands in the file; both count from 1, 0 means nowhere.
struct Place {
    int line = 0;
    int column = 0;
};

/// A piece of the document, with its place. Aliases are expanded: what they repeat has the place of what they name.
struct Node {
    enum class Kind { null, scalar, sequence, mapping };
    /// A plain `30` is a number and a quoted one is text. What an environment variable gave may be either.
    enum class Style { plain, quoted, substituted };
    struct Member;

    Kind kind = Kind::null;
    Style style = Style::plain;
    Place place;
    std::string text;             ///< of a scalar
    std::vector<Node> items;      ///< of a sequence
    std::vector<Member> members;  ///< of a mapping, in the order of the file; a key may be there twice

    [[nodiscard]] const Member* find(std::string_view key) const;
};

struct Node::Member {
    std::string key;
    Place place;  ///< of the key
    Node value;
};

struct YamlError {
    Place place;
    std::string message;
};

/// The one document that `file`, a file's content, holds. A second document, a tag, a key that is not a scalar, more than a
/// bounded depth or number of nodes (counted with aliases expanded) and bytes that are not printable UTF-8 are errors.
std::variant<Node, YamlError> parse_yaml(const std::string& file);

}  // namespace onceward::config
