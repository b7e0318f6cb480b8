#include "request/canonical_json.hpp"

#include "request/json_text.hpp"

#include <algorithm>
#include <cstddef>

namespace onceward::request {

namespace {

// Writes one document. Members are sorted in one list that all open objects share.
class CanonicalWriter {
public:
    CanonicalWriter(const JsonDocument& document, std::string& out) : document_(document), out_(out) {}

    // False when an object inside has two members of one name.
    bool value(std::uint32_t index) {
        const auto& node = document_.nodes()[index];
        switch (node.kind) {
            case JsonDocument::Kind::object:
                return object(index);
            case JsonDocument::Kind::array:
                return array(index);
            case JsonDocument::Kind::string:
                append_quoted_json(out_, document_.text(node));
                return true;
            case JsonDocument::Kind::number:
            case JsonDocument::Kind::literal:
                out_.append(document_.text(node));
                return true;
        }
        return false;
    }

private:
    [[nodiscard]] std::string_view name(std::uint32_t index) const { return document_.name(document_.nodes()[index]); }

    bool array(std::uint32_t index) {
        const auto& nodes = document_.nodes();
        out_.push_back('[');
        bool first = true;
        for (auto i = index + 1; i < nodes[index].end; i = nodes[i].end) {
            if (nodes[i].ignored) {
                continue;
            }
            if (!first) {
                out_.push_back(',');
            }
            first = false;
            if (!value(i)) {
                return false;
            }
        }
        out_.push_back(']');
        return true;
    }

    bool object(std::uint32_t index) {
        const auto& nodes = document_.nodes();
        const auto start = members_.size();
        for (auto i = index + 1; i < nodes[index].end; i = nodes[i].end) {
            members_.push_back(i);
        }
        const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(start);
        std::sort(begin, members_.end(), [this](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
        const bool unique = std::adjacent_find(begin, members_.end(), [this](std::uint32_t a, std::uint32_t b) {
                                return name(a) == name(b);
                            }) == members_.end();
        const bool written = unique && write_members(start);
        members_.resize(start);
        return written;
    }

    bool write_members(std::size_t start) {
        const auto end = members_.size();
        out_.push_back('{');
        bool first = true;
        for (auto i = start; i < end; ++i) {
            const auto member = members_[i];
            if (document_.nodes()[member].ignored) {
                continue;
            }
            if (!first) {
                out_.push_back(',');
            }
            first = false;
            append_quoted_json(out_, name(member));
            out_.push_back(':');
            if (!value(member)) {
                return false;
            }
        }
        out_.push_back('}');
        return true;
    }

    const JsonDocument& document_;
    std::string& out_;
    std::vector<std::uint32_t> members_;
};

bool write(std::string& out, JsonDocument& document, const std::vector<JsonPointer>& ignored) {
    for (const auto& pointer : ignored) {
        const auto search = document.find(pointer);
        if (search.found == JsonDocument::Found::once) {
            document.ignore(search.index);
        }
    }
    const auto start = out.size();
    const bool fine = document.nodes().front().ignored || CanonicalWriter(document, out).value(0);
    if (!fine) {
        out.resize(start);
    }
    return fine;
}

}  // namespace

bool append_canonical_json(std::string& out, std::string_view text, const std::vector<JsonPointer>& ignored) {
    thread_local JsonDocument document;
    const bool fine = document.parse(text) == JsonDocument::Parsed::fine && write(out, document, ignored);
    document.release();
    return fine;
}

}  // namespace onceward::request
