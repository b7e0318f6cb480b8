#include "request/json_document.hpp"

#include "onceward/base/ascii.hpp"
#include "request/json_text.hpp"

#include <charconv>
#include <limits>

namespace onceward::request {

namespace {

// Capacity that stays for the next text; more than that is given back.
constexpr std::size_t kept_bytes = 64 * 1024;

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

// One run over one text. Its recursion ends at `json_depth_max`.
class JsonParser {
public:
    JsonParser(JsonDocument& document, std::string_view text) : document_(document), text_(text) {}

    JsonDocument::Parsed run() {
        bool fine = value(0);
        skip_space();
        fine = fine && at_ == text_.size();
        return fine ? JsonDocument::Parsed::fine : too_deep_ ? JsonDocument::Parsed::too_deep : JsonDocument::Parsed::invalid;
    }

private:
    using Node = JsonDocument::Node;
    using Kind = JsonDocument::Kind;

    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) {
            ++at_;
        }
    }
    bool take(char c) {
        skip_space();
        const bool there = at_ < text_.size() && text_[at_] == c;
        at_ += there ? 1 : 0;
        return there;
    }
    [[nodiscard]] std::uint32_t pool_end() const { return static_cast<std::uint32_t>(document_.text_.size()); }

    bool string(std::uint32_t& at, std::uint32_t& size) {
        at = pool_end();
        const auto end = append_json_string(document_.text_, text_, at_);
        at_ = end;
        size = pool_end() - at;
        return end != std::string_view::npos;
    }
    bool scalar(Node& node, Kind kind, std::size_t length) {
        node.kind = kind;
        node.text_at = pool_end();
        node.text_size = static_cast<std::uint32_t>(length);
        document_.text_.append(text_, at_, length);
        at_ += length;
        return length > 0;
    }
    bool literal(Node& node) {
        for (const std::string_view word : {"true", "false", "null"}) {
            if (text_.substr(at_).starts_with(word)) {
                return scalar(node, Kind::literal, word.size());
            }
        }
        return scalar(node, Kind::number, json_number_length(text_.substr(at_)));
    }

    bool value(std::uint32_t depth, Node node = {}) {
        skip_space();
        if (at_ == text_.size()) {
            return false;
        }
        const char c = text_[at_];
        const auto index = document_.nodes_.size();
        bool fine = true;
        if (c == '{' || c == '[') {
            node.kind = c == '{' ? Kind::object : Kind::array;
            document_.nodes_.push_back(node);
            fine = container(depth + 1, node.kind);
        } else if (c == '"') {
            node.kind = Kind::string;
            fine = string(node.text_at, node.text_size);
            document_.nodes_.push_back(node);
        } else {
            fine = literal(node);
            document_.nodes_.push_back(node);
        }
        document_.nodes_[index].end = static_cast<std::uint32_t>(document_.nodes_.size());
        return fine;
    }

    bool member(std::uint32_t depth, Kind kind) {
        Node node;
        if (kind == Kind::object) {
            skip_space();
            if (at_ == text_.size() || text_[at_] != '"' || !string(node.name_at, node.name_size) || !take(':')) {
                return false;
            }
        }
        return value(depth, node);
    }

    bool container(std::uint32_t depth, Kind kind) {
        too_deep_ = too_deep_ || depth > json_depth_max;
        if (too_deep_) {
            return false;
        }
        const char close = kind == Kind::object ? '}' : ']';
        ++at_;
        if (take(close)) {
            return true;
        }
        do {
            if (!member(depth, kind)) {
                return false;
            }
        } while (take(','));
        return take(close);
    }

    JsonDocument& document_;
    std::string_view text_;
    std::size_t at_ = 0;
    bool too_deep_ = false;
};

JsonDocument::Parsed JsonDocument::parse(std::string_view text) {
    nodes_.clear();
    text_.clear();
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
        return Parsed::invalid;
    }
    return JsonParser(*this, text).run();
}

void JsonDocument::release() {
    if (nodes_.capacity() * sizeof(Node) > kept_bytes) {
        std::vector<Node>().swap(nodes_);
    }
    if (text_.capacity() > kept_bytes) {
        std::string().swap(text_);
    }
}

JsonDocument::Search JsonDocument::child(std::uint32_t parent, const std::string& token) const {
    const bool by_name = nodes_[parent].kind == Kind::object;
    std::uint32_t wanted = 0;
    if (!by_name) {
        // RFC 6901 section 4: an index has no leading zero.
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), wanted);
        if (nodes_[parent].kind != Kind::array || error != std::errc{} || end != token.data() + token.size() ||
            (token.size() > 1 && token.front() == '0')) {
            return {};
        }
    }
    Search result;
    std::uint32_t position = 0;
    for (auto i = parent + 1; i < nodes_[parent].end; i = nodes_[i].end, ++position) {
        if (by_name ? name(nodes_[i]) == token : position == wanted) {
            result = {result.found == Found::absent ? Found::once : Found::duplicate, i};
        }
    }
    return result;
}

JsonDocument::Search JsonDocument::find(const JsonPointer& pointer) const {
    Search at{Found::once, 0};
    for (const auto& token : pointer) {
        at = child(at.index, token);
        if (at.found != Found::once) {
            break;
        }
    }
    return at;
}

std::optional<JsonPointer> parse_json_pointer(std::string_view text) {
    JsonPointer pointer;
    if (!text.empty() && text.front() != '/') {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/') {
            pointer.emplace_back();
        } else if (text[i] != '~') {
            pointer.back().push_back(text[i]);
        } else {
            ++i;
            if (i == text.size() || (text[i] != '0' && text[i] != '1')) {
                return std::nullopt;
            }
            pointer.back().push_back(text[i] == '0' ? '~' : '/');
        }
    }
    return pointer;
}

}  // namespace onceward::request
