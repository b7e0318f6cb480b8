#include "onceward/http/request_id.hpp"

#include "onceward/base/hex.hpp"

#include <algorithm>

namespace onceward::http {

std::string_view request_id(const HeaderList& headers) {
    std::size_t count = 0;
    std::string_view found;
    headers.for_each_value(request_id_field, [&](std::string_view value) {
        found = value;
        ++count;
    });
    const bool usable = count == 1 && !found.empty() && found.size() <= request_id_max &&
                        std::all_of(found.begin(), found.end(), [](char c) { return c > ' ' && c < '\x7F'; });
    return usable ? found : std::string_view{};
}

void make_request_id(std::string& out, std::span<const std::uint8_t, 16> random) {
    out.clear();
    base::append_hex(out, random);
}

}  // namespace onceward::http
