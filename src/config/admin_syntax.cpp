#include "config/admin_syntax.hpp"

#include "config/address.hpp"
#include "config/key_table.hpp"
#include "onceward/config/token_file.hpp"

#include <algorithm>
#include <filesystem>

namespace onceward::config {

namespace {

constexpr std::size_t token_bytes_advised = 16;

/// The file is read here, so that a start and a check refuse one that holds no token.
void read_token_file(const Cursor& cursor, std::string& path) {
    const auto text = as_text(cursor.node);
    if (!text || text->empty()) {
        cursor.mismatch("the path of a file");
        return;
    }
    path = (cursor.report.directory() / *text).lexically_normal().string();
    const auto tokens = read_tokens(path);
    if (const auto* complaint = std::get_if<std::string>(&tokens)) {
        cursor.error(*complaint);
        return;
    }
    const auto is_short = [](const std::string& token) { return token.size() < token_bytes_advised; };
    const auto& all = std::get<std::vector<std::string>>(tokens);
    if (std::any_of(all.begin(), all.end(), is_short)) {
        cursor.warning("a token of this file can be guessed: shorter than " + std::to_string(token_bytes_advised) + " bytes");
    }
    std::error_code error;
    const auto mode = std::filesystem::status(path, error).permissions();
    if (!error && (mode & std::filesystem::perms::others_write) != std::filesystem::perms::none) {
        cursor.warning("every user of this system can write the file, and so give themselves a token");
    }
}

Syntax<std::string> token_file() {
    const auto read = [](const Cursor& cursor, std::string& path) {
        if (cursor.node.kind == Node::Kind::null) {
            path.clear();
        } else {
            read_token_file(cursor, path);
        }
    };
    const auto write = [](const std::string& path) { return path.empty() ? Json() : Json(path); };
    const auto schema = [] { return Json{{"type", Json::array({"string", "null"})}}; };
    return {"file or null", schema, read, write, {}};
}

const Table<Admin>& admin_keys() {
    static const Table<Admin> table({
        key("address", &Admin::address, address(), "Where it listens: host:port or unix:/path."),
        key("token_file", &Admin::token_file, token_file(),
            "File with the tokens that are accepted as Authorization: Bearer, one a line, for every page; needed where the "
            "address is "
            "neither loopback nor a unix socket."),
    });
    return table;
}

bool is_off(const Node& node) {
    return as_boolean(node) == false || (node.kind == Node::Kind::scalar && node.text == "off");
}

}  // namespace

Syntax<std::optional<Admin>> admin() {
    const auto text = address();
    const auto mapping = section(admin_keys);
    const auto read = [text, mapping](const Cursor& cursor, std::optional<Admin>& value) {
        if (is_off(cursor.node)) {
            value.reset();
            return;
        }
        Admin given;
        if (cursor.node.kind == Node::Kind::mapping) {
            mapping.read(cursor, given);
        } else {
            text.read(cursor, given.address);
        }
        value = std::move(given);
    };
    const auto write = [mapping](const std::optional<Admin>& value) {
        if (!value) {
            return Json("off");
        }
        return value->token_file.empty() ? Json(to_text(value->address)) : mapping.write(*value);
    };
    const auto schema = [text, mapping] {
        return Json{{"anyOf", Json::array({text.schema(), Json{{"const", false}}, mapping.schema()})}};
    };
    return {"address, mapping or off", schema, read, write, mapping.keys};
}

}  // namespace onceward::config
