#include "config/listen_syntax.hpp"

#include "config/address.hpp"
#include "config/key_table.hpp"
#include "config/tls_syntax.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

const Table<Listener>& listen_keys() {
    static const Table<Listener> table({
        key_of<Listener>("address", &Listener::address, address(), "host:port or unix:/path.", Need::required),
        key("tls", &Listener::tls, listener_tls(),
            "Certificate and key: clients speak TLS 1.2 or 1.3 here. The files are read again when they change."),
        key("proxy_protocol", &Listener::proxy_protocol, boolean(),
            "Whether every connection begins with a PROXY protocol header (version 1 or 2), which says who the client is."),
    });
    return table;
}

bool is_plain(const Listener& listener) {
    return !listener.proxy_protocol && !listener.tls;
}

}  // namespace

Syntax<std::vector<Listener>> listeners() {
    const auto text = address();
    const auto mapping = section(listen_keys);
    const auto read_one = [text, mapping](const Cursor& cursor, Listener& value) {
        if (cursor.node.kind == Node::Kind::mapping) {
            mapping.read(cursor, value);
        } else {
            text.read(cursor, value.address);
        }
    };
    const auto read = [read_one](const Cursor& cursor, std::vector<Listener>& value) {
        std::vector<Listener> given;
        const auto add = [&](const Cursor& one) {
            Listener listener;
            read_one(one, listener);
            const auto is_same = [&](const Listener& other) { return to_text(other.address) == to_text(listener.address); };
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
    const auto write = [text, mapping](const std::vector<Listener>& value) {
        Json out = Json::array();
        for (const auto& listener : value) {
            out.push_back(is_plain(listener) ? text.write(listener.address) : mapping.write(listener));
        }
        return value.size() == 1 ? out[0] : out;
    };
    return {"address, mapping or list of them", schema, read, write, mapping.keys};
}

void keep_listeners(const Options& running, Options& next) {
    auto listeners = running.listen;
    for (auto& listener : listeners) {
        for (auto& changed : next.listen) {
            if (changed.address == listener.address && changed.tls && listener.tls) {
                listener.tls = std::move(changed.tls);
            }
        }
    }
    next.listen = std::move(listeners);
}

}  // namespace onceward::config
