#include "onceward/http/headers.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/http/message.hpp"

namespace onceward::http {

void HeaderList::clear() {
    text_.clear();
    fields_.clear();
}

void HeaderList::add(std::string_view name, std::string_view value) {
    const auto at = static_cast<std::uint32_t>(text_.size());
    text_.append(name).append(value);
    fields_.push_back({at, static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(at + name.size()),
                       static_cast<std::uint32_t>(value.size())});
}

std::string_view HeaderList::name(std::size_t i) const {
    return {text_.data() + fields_[i].name_at, fields_[i].name_size};
}

std::string_view HeaderList::value(std::size_t i) const {
    return {text_.data() + fields_[i].value_at, fields_[i].value_size};
}

bool HeaderList::matches(std::size_t i, std::string_view wanted) const {
    return fields_[i].name_size == wanted.size() && base::iequals(name(i), wanted);
}

std::size_t HeaderList::count(std::string_view wanted) const {
    std::size_t n = 0;
    for_each_value(wanted, [&](std::string_view) { ++n; });
    return n;
}

std::string_view HeaderList::find(std::string_view wanted) const {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        if (matches(i, wanted)) {
            return value(i);
        }
    }
    return {};
}

bool HeaderList::has_token(std::string_view wanted, std::string_view token) const {
    bool found = false;
    for_each_value(wanted, [&](std::string_view list) {
        base::for_each_list_member(list, [&](std::string_view member) { found = found || base::iequals(member, token); });
    });
    return found;
}

void RequestHead::clear() {
    method.clear();
    target.clear();
    path.clear();
    query.clear();
    host.clear();
    has_query = false;
    version = Version::http_1_1;
    framing = {};
    keep_alive = true;
    expects_continue = false;
    upgrade_websocket = false;
    headers.clear();
}

void ResponseHead::clear() {
    status = 0;
    reason.clear();
    version = Version::http_1_1;
    framing = {};
    keep_alive = true;
    headers.clear();
}

}  // namespace onceward::http
