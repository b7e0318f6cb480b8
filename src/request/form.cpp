#include "request/form.hpp"

#include "onceward/base/hex.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace onceward::request {

void decode_form_text(std::string_view encoded, std::string& out) {
    out.clear();
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        std::array<std::uint8_t, 1> byte{};
        if (encoded[i] == '%' && base::from_hex(encoded.substr(i + 1, 2), byte)) {
            out.push_back(static_cast<char>(byte[0]));
            i += 2;
        } else {
            out.push_back(encoded[i] == '+' ? ' ' : encoded[i]);
        }
    }
}

Presence read_form_field(std::string_view encoded, std::string_view name, std::string& value) {
    auto presence = Presence::absent;
    std::string decoded_name;
    std::string_view found;
    while (!encoded.empty()) {
        const auto field = encoded.substr(0, encoded.find('&'));
        encoded.remove_prefix(field.size() < encoded.size() ? field.size() + 1 : field.size());
        const auto equals = field.find('=');
        decode_form_text(field.substr(0, equals), decoded_name);
        if (field.empty() || decoded_name != name) {
            continue;
        }
        if (presence == Presence::present) {
            return Presence::invalid;
        }
        presence = Presence::present;
        found = equals == std::string_view::npos ? std::string_view{} : field.substr(equals + 1);
    }
    decode_form_text(found, value);
    return presence;
}

}  // namespace onceward::request
