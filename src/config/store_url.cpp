#include "config/store_url.hpp"

#include "config/address.hpp"
#include "onceward/base/hex.hpp"
#include "onceward/config/load.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace onceward::config {

namespace {

constexpr std::string_view expected =
    "expected memory:, sqlite:PATH, redis://[user:password@]host[:port][/database] or redis+unix:/path";
constexpr std::array later_schemes{std::string_view("rediss"),        std::string_view("redis+sentinel"),
                                   std::string_view("redis+cluster"), std::string_view("postgres"),
                                   std::string_view("postgresql"),    std::string_view("mysql")};
constexpr std::uint16_t redis_port = 6379;

Complaint complain(std::string_view what) {
    return {std::string(what) + ": " + std::string(expected)};
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        std::array<std::uint8_t, 1> byte{};
        if (!base::from_hex(text.substr(i + 1, 2), byte)) {
            return std::nullopt;
        }
        out += static_cast<char>(byte[0]);
        i += 2;
    }
    return out;
}

/// `user:password`, percent-encoded; the user may be empty.
bool read_credentials(std::string_view text, RedisOptions& redis) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
        return false;
    }
    auto user = percent_decoded(text.substr(0, colon));
    auto password = percent_decoded(text.substr(colon + 1));
    if (!user || !password || password->empty()) {
        return false;
    }
    redis.user = std::move(*user);
    redis.password = std::move(*password);
    return true;
}

/// What stands behind `redis://`.
Parsed<RedisOptions> parse_redis(std::string_view text) {
    RedisOptions redis;
    const auto slash = std::min(text.find('/'), text.size());
    auto authority = text.substr(0, slash);
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
        if (!read_credentials(authority.substr(0, at), redis)) {
            return complain("credentials that are not user:password or :password, percent-encoded");
        }
        authority.remove_prefix(at + 1);
    }
    const auto address = parse_authority(authority, redis_port);
    if (std::holds_alternative<Complaint>(address)) {
        return complain("no valid host and port");
    }
    redis.address = std::get<Address>(address);
    const auto database = text.substr(std::min(slash + 1, text.size()));
    if (!database.empty()) {
        const auto number = parse_count(database, 0, std::numeric_limits<std::int32_t>::max());
        if (std::holds_alternative<Complaint>(number)) {
            return complain("a database that is not a number");
        }
        redis.database = std::get<std::uint32_t>(number);
    }
    return redis;
}

Parsed<Store> parse_sqlite(std::string_view path, Store store, const std::filesystem::path& directory) {
    if (path == ":memory:") {
        return complain("SQLite without a file would forget everything; for tests there is memory:");
    }
    if (path.empty() || path.back() == '/' || path.substr(0, 2) == "//") {
        return complain("no path of a file behind sqlite:");
    }
    store.kind = StoreKind::sqlite;
    store.sqlite_path = (directory / path).lexically_normal().string();
    return store;
}

}  // namespace

Parsed<Store> parse_store_url(std::string_view url, const std::filesystem::path& directory) {
    Store store;
    store.url = std::string(url);
    const auto colon = url.find(':');
    if (colon == std::string_view::npos) {
        return complain("no store url");
    }
    const auto scheme = url.substr(0, colon);
    const auto rest = url.substr(colon + 1);
    if (scheme == "memory" && rest.empty()) {
        store.kind = StoreKind::memory;
        return store;
    }
    if (scheme == "sqlite") {
        return parse_sqlite(rest, std::move(store), directory);
    }
    store.kind = StoreKind::redis;
    if (scheme == "redis+unix") {
        const auto address = parse_unix_path(rest, directory);
        if (rest.substr(0, 2) == "//" || std::holds_alternative<Complaint>(address)) {
            return complain("no path of a socket behind redis+unix:");
        }
        store.redis.address = std::get<Address>(address);
        return store;
    }
    if (scheme == "redis" && rest.substr(0, 2) == "//") {
        auto redis = parse_redis(rest.substr(2));
        if (const auto* complaint = std::get_if<Complaint>(&redis)) {
            return *complaint;
        }
        store.redis = std::get<RedisOptions>(std::move(redis));
        return store;
    }
    if (std::find(later_schemes.begin(), later_schemes.end(), scheme) != later_schemes.end()) {
        return complain(std::string(scheme) + " is not available in this version");
    }
    return complain("not a store that is known");
}

std::string effective_url(const Store& store) {
    if (store.kind == StoreKind::sqlite && !store.sqlite_path.empty()) {
        return "sqlite:" + store.sqlite_path;
    }
    return store.redis.address.is_unix() ? "redis+unix:" + store.redis.address.unix_path : store.url;
}

bool is_same_place(const Store& a, const Store& b) {
    return a.kind == b.kind && a.sqlite_path == b.sqlite_path && a.redis.address == b.redis.address &&
           a.redis.user == b.redis.user && a.redis.database == b.redis.database;
}

std::string masked(const std::string& url) {
    const auto scheme_end = url.find("://");
    const auto at = url.rfind('@');
    if (scheme_end == std::string::npos || at == std::string::npos || at < scheme_end) {
        return url;
    }
    const auto credentials = scheme_end + 3;
    const auto colon = url.find(':', credentials);
    // Without a colon nobody knows which part is the secret.
    const auto secret = colon == std::string::npos || colon > at ? credentials : colon + 1;
    return url.substr(0, secret) + "***" + url.substr(at);
}

}  // namespace onceward::config
