#include "config/yaml_document.hpp"

#include "config/source_file.hpp"
#include "config/text.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace onceward::config {

namespace {

constexpr std::size_t depth_max = 32;
constexpr std::size_t nodes_max = 30'000;

Place place_of(const YAML::Mark& mark) {
    return mark.is_null() ? Place{} : Place{mark.line + 1, mark.column + 1};
}

std::size_t count_nodes(const Node& node) {
    std::size_t count = 1;
    for (const auto& item : node.items) {
        count += count_nodes(item);
    }
    for (const auto& member : node.members) {
        count += count_nodes(member.value);
    }
    return count;
}

std::size_t depth_of(const Node& node) {
    std::size_t deepest = 0;
    for (const auto& item : node.items) {
        deepest = std::max(deepest, depth_of(item));
    }
    for (const auto& member : node.members) {
        deepest = std::max(deepest, depth_of(member.value));
    }
    return deepest + 1;
}

/// Whether the scalar that begins at `start`, behind its anchor and tag, ends with the quote that it begins with, if any.
/// yaml-cpp lets the end of the file stand for it.
bool is_closed(std::string_view text, std::size_t start) {
    while (start < text.size() && (text[start] == '&' || text[start] == '!')) {
        start = std::min(text.find_first_of(" \t\r\n", start), text.size());
        start = std::min(text.find_first_not_of(" \t\r\n", start), text.size());
    }
    if (start >= text.size() || (text[start] != '"' && text[start] != '\'')) {
        return true;
    }
    const char quote = text[start];
    for (std::size_t i = start + 1; i < text.size(); ++i) {
        const bool is_escaped = quote == '"' ? text[i] == '\\' : text.substr(i, 2) == "''";
        if (is_escaped) {
            ++i;
        } else if (text[i] == quote) {
            return true;
        }
    }
    return false;
}

/// Builds the tree from the parser's events, since yaml-cpp's own tree forgets the places of keys and lets a repeated key pass.
/// Throws YamlError to stop the parser.
class TreeBuilder : public YAML::EventHandler {
public:
    explicit TreeBuilder(std::string_view text) : text_(text) {}

    [[nodiscard]] Node take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) {
            throw YamlError{place_of(mark), "a second YAML document: expected one document in a file"};
        }
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        begin(Node::Kind::null, mark, anchor);
        end();
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
        auto& node = begin(Node::Kind::scalar, mark, anchor);
        refuse_tag(mark, tag);
        if (!is_closed(text_, static_cast<std::size_t>(mark.pos))) {
            throw YamlError{place_of(mark), "not YAML: a quote that is not closed"};
        }
        node.text = value;
        // yaml-cpp's own tag of everything that is quoted or a block.
        node.style = tag == "!" ? Node::Style::quoted : Node::Style::plain;
        end();
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            throw YamlError{place_of(mark), "this alias stands inside of what it names"};
        }
        nodes_ += count_nodes(found->second);
        check_limits(mark, depth_of(found->second));
        attach(found->second);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        refuse_tag(mark, tag);
        begin(Node::Kind::sequence, mark, anchor);
    }
    void OnSequenceEnd() override { end(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        refuse_tag(mark, tag);
        begin(Node::Kind::mapping, mark, anchor);
    }
    void OnMapEnd() override { end(); }

private:
    struct Open {
        Node node;
        YAML::anchor_t anchor;
        std::optional<Node> key;  ///< of the member whose value comes next
    };

    static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        if (!tag.empty() && tag != "?" && tag != "!") {
            throw YamlError{place_of(mark), "a YAML tag: expected a plain value"};
        }
    }

    void check_limits(const YAML::Mark& mark, std::size_t depth) const {
        if (open_.size() + depth > depth_max) {
            throw YamlError{place_of(mark), "nested more than " + std::to_string(depth_max) + " deep"};
        }
        if (nodes_ > nodes_max) {
            throw YamlError{place_of(mark), "more than " + std::to_string(nodes_max) + " values, aliases expanded"};
        }
    }

    Node& begin(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
        ++nodes_;
        check_limits(mark, 1);
        open_.push_back({Node{kind, Node::Style::plain, place_of(mark), {}, {}, {}}, anchor, std::nullopt});
        return open_.back().node;
    }

    void end() {
        Open done = std::move(open_.back());
        open_.pop_back();
        if (done.anchor != YAML::NullAnchor) {
            anchors_[done.anchor] = done.node;
        }
        attach(std::move(done.node));
    }

    void attach(Node node) {
        if (open_.empty()) {
            root_ = std::move(node);
        } else if (auto& parent = open_.back(); parent.node.kind == Node::Kind::sequence) {
            parent.node.items.push_back(std::move(node));
        } else if (!parent.key) {
            if (node.kind != Node::Kind::scalar) {
                throw YamlError{node.place, "a key that is not text"};
            }
            parent.key = std::move(node);
        } else {
            // An empty value has no place of its own.
            node.place = node.kind == Node::Kind::null ? parent.key->place : node.place;
            parent.node.members.push_back({std::move(parent.key->text), parent.key->place, std::move(node)});
            parent.key.reset();
        }
    }

    std::string_view text_;
    Node root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Node> anchors_;
    std::size_t nodes_ = 0;
    int documents_ = 0;
};

Place place_at(std::string_view text, std::size_t offset) {
    const auto before = text.substr(0, offset);
    const auto line_start = before.rfind('\n');
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(offset - (line_start == std::string_view::npos ? 0 : line_start + 1)) + 1};
}

}  // namespace

const Node::Member* Node::find(std::string_view key) const {
    const auto found = std::find_if(members.begin(), members.end(), [&](const Member& member) { return member.key == key; });
    return found == members.end() ? nullptr : &*found;
}

std::variant<Node, YamlError> parse_yaml(const std::string& file) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    const bool marked = file.compare(0, byte_order_mark.size(), byte_order_mark) == 0;
    const std::string text = marked ? file.substr(byte_order_mark.size()) : file;
    if (text.size() > source_bytes_max) {
        return YamlError{{}, "larger than " + std::to_string(source_bytes_max) + " bytes"};
    }
    if (const auto offset = unprintable_at(text)) {
        return YamlError{place_at(text, *offset), "a byte that is not printable UTF-8"};
    }
    std::istringstream stream(text);
    TreeBuilder builder(text);
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YamlError& error) {
        return error;
    } catch (const YAML::Exception& error) {
        return YamlError{place_of(error.mark), "not YAML: " + error.msg};
    }
    return builder.take();
}

}  // namespace onceward::config
