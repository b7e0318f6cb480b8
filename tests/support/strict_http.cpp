#include "strict_http.hpp"

#include "strict_head.hpp"

#include <algorithm>

namespace onceward::test {

namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const auto first = std::min(text.find_first_not_of(blanks), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// `chunk-size [ chunk-ext ]`; nothing: not one.
std::optional<std::uint64_t> chunk_size(std::string_view line) {
    constexpr std::string_view digits = "0123456789abcdefABCDEF";
    const auto end = std::min(line.find_first_not_of(digits), line.size());
    std::uint64_t size = 0;
    for (const char c : line.substr(0, end)) {
        const auto value = digits.find(c) >= 16 ? digits.find(c) - 6 : digits.find(c);
        if (size > (INT64_MAX - value) / 16) {
            return std::nullopt;
        }
        size = size * 16 + value;
    }
    const auto extension = line.substr(end);
    const auto after_blanks = std::min(extension.find_first_not_of(" \t"), extension.size());
    const bool separated = extension.empty() || extension.substr(after_blanks, 1) == ";";
    return end > 0 && separated && is_field_text(extension) ? std::optional(size) : std::nullopt;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t count_fields(const StrictFields& fields, std::string_view name) {
    return static_cast<std::size_t>(
        std::count_if(fields.begin(), fields.end(), [&](const StrictField& field) { return same_name(field.name, name); }));
}

std::string_view field_value(const StrictFields& fields, std::string_view name) {
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const StrictField& field) { return same_name(field.name, name); });
    return found == fields.end() ? std::string_view{} : std::string_view(found->value);
}

std::vector<std::string> list_members(const StrictFields& fields, std::string_view name) {
    std::vector<std::string> members;
    for (const auto& field : fields) {
        if (!same_name(field.name, name)) {
            continue;
        }
        for (std::string_view list = field.value; !list.empty();) {
            const auto end = std::min(list.find(','), list.size());
            if (const auto member = without_blanks(list.substr(0, end)); !member.empty()) {
                members.emplace_back(member);
            }
            list.remove_prefix(std::min(end + 1, list.size()));
        }
    }
    return members;
}

bool has_member(const StrictFields& fields, std::string_view name, std::string_view member) {
    const auto members = list_members(fields, name);
    return std::any_of(members.begin(), members.end(), [&](const std::string& each) { return same_name(each, member); });
}

/// A line that CRLF ends. False with a bare CR or LF, which is malformed, and when the end has not come.
bool StrictReader::take_line(std::string_view& line) {
    const auto end = rest_.find_first_of("\r\n");
    if (end == std::string_view::npos || (rest_[end] == '\r' && end + 1 == rest_.size())) {
        return false;
    }
    if (rest_.substr(end, 2) != "\r\n") {
        fail();
        return false;
    }
    line = rest_.substr(0, end);
    rest_.remove_prefix(end + 2);
    return true;
}

/// Field lines with the empty line that ends them.
bool StrictReader::take_fields(StrictFields& fields) {
    for (std::string_view line; take_line(line);) {
        if (line.empty()) {
            return true;
        }
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) || !is_field_text(line.substr(colon + 1))) {
            fail();
            break;
        }
        fields.push_back({std::string(line.substr(0, colon)), std::string(without_blanks(line.substr(colon + 1)))});
    }
    return false;
}

/// Takes nothing unless the head is whole.
bool StrictReader::take_head(std::string_view& start, StrictFields& fields) {
    const auto before = rest_;
    if (take_line(start) && take_fields(fields)) {
        return true;
    }
    rest_ = before;
    return false;
}

Extent StrictReader::take_chunks(StrictMessage& message) {
    const auto unfinished = [this] { return malformed_ ? Extent::broken : Extent::cut; };
    for (std::string_view line; take_line(line);) {
        const auto size = chunk_size(line);
        if (!size) {
            return Extent::broken;
        }
        if (*size == 0) {
            return take_fields(message.trailers) ? Extent::whole : unfinished();
        }
        const auto data = rest_.substr(0, *size);
        message.content.append(data);
        rest_.remove_prefix(data.size());
        if (const auto end = rest_.substr(0, 2); data.size() < *size || end == "\r" || end.empty()) {
            return Extent::cut;
        } else if (end != "\r\n") {
            return Extent::broken;
        }
        rest_.remove_prefix(2);
    }
    return unfinished();
}

void StrictReader::take_content(StrictMessage& message, std::uint64_t length) {
    if (message.coding == Coding::chunked) {
        message.extent = take_chunks(message);
    } else if (message.coding != Coding::none) {
        const bool to_end = message.coding == Coding::until_close;
        const auto data = rest_.substr(0, to_end ? rest_.size() : length);
        message.content = data;
        rest_.remove_prefix(data.size());
        const bool whole = to_end ? end_ == StreamEnd::closed : data.size() == length;
        message.extent = whole ? Extent::whole : Extent::cut;
    }
    malformed_ = malformed_ || message.extent == Extent::broken;
    ended_ = message.extent != Extent::whole || !message.persists;
}

std::optional<StrictRequest> StrictReader::next_request() {
    StrictRequest request;
    std::string_view start;
    std::uint64_t length = 0;
    if (ended_) {
        return std::nullopt;
    }
    const auto before = rest_;
    if (rest_.substr(0, 2) == "\r\n") {
        rest_.remove_prefix(2);
    }
    if (!take_head(start, request.fields)) {
        rest_ = before;
        return std::nullopt;
    }
    if (!read_request_line(start, request) || !frame(request, length)) {
        rest_ = before;
        fail();
        return std::nullopt;
    }
    take_content(request, length);
    return request;
}

std::optional<StrictResponse> StrictReader::next_response(std::string_view request_method) {
    StrictResponse response;
    std::string_view start;
    std::uint64_t length = 0;
    const auto before = rest_;
    if (ended_ || !take_head(start, response.fields)) {
        return std::nullopt;
    }
    if (!read_status_line(start, response) || !is_field_text(response.reason) || !frame(response, request_method, length)) {
        rest_ = before;
        fail();
        return std::nullopt;
    }
    if (response.status == 101) {
        ended_ = true;
        return response;
    }
    take_content(response, length);
    // Another head follows an interim one whatever its fields say.
    ended_ = ended_ && response.status >= 200;
    return response;
}

}  // namespace onceward::test
