// What other implementations write into a field reads here as they meant it: RFC 9651 Strings, parameters, lists, traceparent.

#include "onceward/base/ascii.hpp"
#include "onceward/base/assert.hpp"
#include "onceward/http/trace.hpp"
#include "onceward/request/identify.hpp"
#include "request/media_type.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace onceward;

namespace {

/// A String by RFC 9651 section 4.2.5, to the letter; nothing when `text` is no String, or more than one.
std::optional<std::string> rfc_string(std::string_view text) {
    if (text.empty() || text.front() != '"') {
        return std::nullopt;
    }
    std::string value;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') {
            return i + 1 == text.size() ? std::optional(value) : std::nullopt;
        }
        if (text[i] == '\\' && (++i == text.size() || (text[i] != '"' && text[i] != '\\'))) {
            return std::nullopt;
        }
        if (text[i] < 0x20 || text[i] > 0x7e) {
            return std::nullopt;
        }
        value.push_back(text[i]);
    }
    return std::nullopt;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        out.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
    }
    return out + "\"";
}

void check_key(std::string_view text) {
    const auto trimmed = base::trim(text);
    auto expected = rfc_string(trimmed);
    if (expected && (expected->empty() || expected->size() > 255)) {
        expected.reset();
    }
    if (!trimmed.empty() && trimmed.front() == '"') {
        ONCEWARD_ASSERT(request::parse_key(text) == expected);
    }
}

void check_parameters(std::string_view first, std::string_view second) {
    const auto type = "multipart/form-data; a=" + quoted(first) + " ;b = " + quoted(second);
    ONCEWARD_ASSERT(request::media_type(type) == "multipart/form-data");
    ONCEWARD_ASSERT(request::media_parameter(type, "A") == first && request::media_parameter(type, "b") == second);
    ONCEWARD_ASSERT(!request::media_parameter(type, "c"));
}

void check_list(const std::vector<std::string>& members) {
    std::string list;
    for (const auto& member : members) {
        list += member + " ,\t";
    }
    std::size_t count = 0;
    base::for_each_list_member(list, [&](std::string_view member) {
        ONCEWARD_ASSERT(count < members.size() && member == members[count]);
        ++count;
    });
    ONCEWARD_ASSERT(count == members.size());
}

void check_trace(std::string_view text) {
    const auto id = http::trace_id(text);
    ONCEWARD_ASSERT(id.empty() || (id.size() == 32 && text.substr(3, 32) == id && id != std::string(32, '0')));
}

}  // namespace

/// The first line is taken as a field by itself; the two halves of the rest are the values that somebody wants to send.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const auto field = all.substr(0, all.find('\n'));
    const auto rest = all.substr(std::min(size, field.size() + 1));
    const auto first = rest.substr(0, rest.size() / 2);
    const auto second = rest.substr(rest.size() / 2);
    check_key(field);
    check_trace(field);
    check_parameters(first, second);
    check_list({quoted(first), "token", quoted(second)});
    return 0;
}
