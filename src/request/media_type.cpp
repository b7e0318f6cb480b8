#include "request/media_type.hpp"

#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <cstddef>

namespace onceward::request {

namespace {

// Reads the value that begins at `text[at]` and moves `at` behind it.
std::string read_value(std::string_view text, std::size_t& at) {
    std::string value;
    if (at == text.size() || text[at] != '"') {
        const auto end = std::min(text.find(';', at), text.size());
        value = base::trim(text.substr(at, end - at));
        at = end;
        return value;
    }
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) {
            ++at;
        }
        value.push_back(text[at]);
    }
    at = std::min(text.find(';', at), text.size());
    return value;
}

}  // namespace

std::string_view media_type(std::string_view field_value) {
    return base::trim(field_value.substr(0, field_value.find(';')));
}

std::optional<std::string> media_parameter(std::string_view field_value, std::string_view name) {
    auto at = field_value.find(';');
    while (at < field_value.size()) {
        const auto equals = field_value.find('=', at);
        if (equals == std::string_view::npos) {
            break;
        }
        const auto found = base::trim(field_value.substr(at + 1, equals - at - 1));
        at = std::min(field_value.find_first_not_of(" \t", equals + 1), field_value.size());
        auto value = read_value(field_value, at);
        if (base::iequals(found, name)) {
            return value;
        }
    }
    return std::nullopt;
}

bool is_multipart_form(std::string_view field_value) {
    return base::iequals(media_type(field_value), "multipart/form-data");
}

bool is_json_type(std::string_view field_value) {
    const auto type = media_type(field_value);
    constexpr std::string_view suffix = "+json";
    return base::iequals(type, "application/json") ||
           (type.size() > suffix.size() && base::iequals(type.substr(type.size() - suffix.size()), suffix));
}

}  // namespace onceward::request
