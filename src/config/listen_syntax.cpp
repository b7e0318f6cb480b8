#include "config/listen_syntax.hpp"

#include "config/address.hpp"
#include "config/key_table.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

const Table<Address>& listen_keys() {
    static const Table<Address> table({
        whole<Address>("address", address(), "host:port or unix:/path.", Need::required),
        later<Address>("tls", only_null(), {}, "Certificate, key and client CA of this listener."),
        later<Address>("proxy_protocol", boolean(), false, "Whether connections begin with a PROXY protocol header."),
    });
    return table;
}

}  // namespace

Syntax<std::vector<Address>> listeners() {
    const auto text = address();
    const auto mapping = section(listen_keys);
    const auto read_one = [text, mapping](const Cursor& cursor, Address& value) {
        (cursor.node.kind == Node::Kind::mapping ? mapping : text).read(cursor, value);
    };
    const auto read = [read_one](const Cursor& cursor, std::vector<Address>& value) {
        std::vector<Address> given;
        const auto add = [&](const Cursor& one) {
            Address listener;
            read_one(one, listener);
            const auto is_same = [&](const Address& other) { return to_text(other) == to_text(listener); };
            if (std::any_of(given.begin(), given.end(), is_same)) {
                one.error("the same address twice: expected different ones");
            }
            given.push_back(std::move(listener));
        };
        if (cursor.node.kind != Node::Kind::sequence) {
            add(cursor);
        } else if (cursor.node.items.empty()) {
            cursor.error("an empty list: expected at least one address");
        }
        for (std::size_t i = 0; i < cursor.node.items.size(); ++i) {
            add(cursor.item(i));
        }
        value = std::move(given);
    };
    const auto schema = [text, mapping] {
        const Json one{{"anyOf", Json::array({text.schema(), mapping.schema()})}};
        return Json{{"anyOf", Json::array({one, Json{{"type", "array"}, {"items", one}, {"minItems", 1}}})}};
    };
    const auto write = [text](const std::vector<Address>& value) {
        Json out = Json::array();
        for (const auto& listener : value) {
            out.push_back(text.write(listener));
        }
        return value.size() == 1 ? out[0] : out;
    };
    return {"address, mapping or list of them", schema, read, write, mapping.keys};
}

}  // namespace onceward::config
