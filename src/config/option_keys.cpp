#include "config/address.hpp"
#include "config/admin_syntax.hpp"
#include "config/keys.hpp"
#include "config/listen_syntax.hpp"
#include "config/store_url.hpp"
#include "config/substitution.hpp"
#include "config/tls_syntax.hpp"
#include "onceward/config/load.hpp"

namespace onceward::config {

namespace {

constexpr std::uint32_t connections_max = 1'000'000;

/// Absent from the options: keys of the specification that only later versions have.
struct Later {};

/// The url of an upstream or a store: text that sets several members at once.
template <typename Object, typename Parse>
Syntax<Object> url(Parse parse, std::function<Json(const Object&)> write) {
    const auto read = [parse](const Cursor& cursor, Object& object) {
        const auto text = as_text(cursor.node);
        if (!text) {
            cursor.mismatch("a url");
        } else if (const auto complaint = parse(*text, cursor.report, object)) {
            cursor.error(complaint->message);
        }
    };
    return {"url", [] { return Json{{"type", "string"}}; }, read, std::move(write), {}};
}

std::optional<Complaint> set_upstream_url(const std::string& text, const Report& report, Upstream& upstream) {
    auto parsed = parse_upstream_url(text, report.directory());
    if (auto* complaint = std::get_if<Complaint>(&parsed)) {
        return std::move(*complaint);
    }
    auto& given = std::get<Upstream>(parsed);
    upstream.address = std::move(given.address);
    upstream.secure = given.secure;
    upstream.url = std::move(given.url);
    return std::nullopt;
}

std::optional<Complaint> set_store_url(const std::string& text, Report& report, Store& store) {
    const auto secret = read_secret(text, report);
    if (const auto* complaint = std::get_if<Complaint>(&secret)) {
        return *complaint;
    }
    auto parsed = parse_store_url(std::get<std::string>(secret), report.directory());
    if (auto* complaint = std::get_if<Complaint>(&parsed)) {
        return std::move(*complaint);
    }
    auto& given = std::get<Store>(parsed);
    store.kind = given.kind;
    store.url = std::move(given.url);
    store.sqlite_path = std::move(given.sqlite_path);
    store.redis = std::move(given.redis);
    return std::nullopt;
}

const Table<Upstream>& upstream_keys() {
    static const Table<Upstream> table({
        whole<Upstream>("url", url<Upstream>(set_upstream_url, [](const Upstream& upstream) { return Json(upstream.url); }),
                        "The service: http://host:port, https://host:port or unix:/path.", Need::required),
        key("connect_timeout", &Upstream::connect_timeout, duration(),
            "Longest wait for a connection, its TLS handshake included."),
        key("response_timeout", &Upstream::response_timeout, duration(),
            "Longest wait of a client for the head of the answer; then it gets 504 and the execution goes on."),
        key("execution_timeout", &Upstream::execution_timeout, duration(),
            "Longest wait for the whole answer; then the connection is closed and the outcome is unknown."),
        key("idle_timeout", &Upstream::idle_timeout, duration(), "How long an unused connection is kept."),
        key("max_connections", &Upstream::max_connections, count(1, connections_max),
            "Most connections of the whole process; further requests queue."),
        key("queue_timeout", &Upstream::queue_timeout, duration(),
            "Longest wait in that queue; then the client gets 503 OVERLOADED."),
        key("tls", &Upstream::tls, upstream_tls(),
            "TLS to the service, where its url is https: 1.2 or 1.3, its certificate looked at. The files are read again when "
            "they "
            "change."),
    });
    return table;
}

/// A mapping, or its url alone.
Syntax<Upstream> upstream() {
    auto syntax = section(upstream_keys);
    const auto read = [mapping = syntax.read](const Cursor& cursor, Upstream& value) {
        if (cursor.node.kind != Node::Kind::scalar) {
            mapping(cursor, value);
            return;
        }
        const auto text = as_text(cursor.node);
        if (!text) {
            cursor.mismatch("a url or a mapping");
        } else if (const auto complaint = set_upstream_url(*text, cursor.report, value)) {
            cursor.error(complaint->message);
        }
    };
    const auto schema = [mapping = syntax.schema] { return Json{{"anyOf", Json::array({Json{{"type", "string"}}, mapping()})}}; };
    return {"url or mapping", schema, read, syntax.write, syntax.keys, syntax.keep};
}

const Table<Later>& redis_keys() {
    static const Table<Later> table({
        later<Later>("wait_replicas", count(0, 100), 0, "How many replicas must have a write before it counts."),
        later<Later>("quarantine", duration(Zero::allowed), std::chrono::milliseconds{0},
                     "How long new keys are refused after data was lost."),
    });
    return table;
}

const Table<Later>& encryption_keys() {
    static const Table<Later> table(
        {later<Later>("key_file", only_null(), {}, "File with the keys for recorded headers and bodies.")});
    return table;
}

const Table<Later>& token_keys() {
    static const Table<Later> table({
        later<Later>("path", only_null(), {}, "Where one-time tokens are issued."),
        later<Later>("ttl", duration(), std::chrono::minutes{10}, "How long a token lives."),
        later<Later>("stateless_key_file", only_null(), {}, "Key of tokens that need no store."),
    });
    return table;
}

const Table<Later>& id_keys() {
    static const Table<Later> table({later<Later>("path", only_null(), {}, "Where snowflake ids are issued.")});
    return table;
}

/// A section of keys that are all of a later version.
template <typename Object>
Row<Object> later_section(std::string_view name, const Table<Later>& (*table)(), std::string_view meaning) {
    const auto syntax = section(table);
    KeyInfo info{name, meaning, syntax.type, Availability::later, Need::optional, syntax.schema, syntax.keys};
    const auto read = [syntax](const Cursor& cursor, Object&) {
        Later nothing;
        syntax.read(cursor, nothing);
    };
    return {std::move(info), read, {}};
}

std::optional<std::string> prefix_complaint(std::string_view text) {
    return is_plain_name(text) ? std::nullopt
                               : std::optional(shown(text) + " is not a prefix: expected 1 to 64 of A-Z a-z 0-9 . _ -");
}

Row<Store> store_url() {
    auto row =
        whole<Store>("url", url<Store>(set_store_url, [](const Store& store) { return Json(masked(effective_url(store))); }),
                     "memory:, sqlite:PATH, redis://[user:password@]host[:port][/database] or redis+unix:/path; file:/path reads "
                     "it from a file. Another password counts from the next connection on.",
                     Need::optional);
    row.effect = Effect::at_start;
    // A password is a secret that is changed from time to time: the next connection logs in with the new one.
    row.keep = [](const Store& from, Store& to) {
        if (is_same_place(from, to)) {
            return;
        }
        to.kind = from.kind;
        to.url = from.url;
        to.sqlite_path = from.sqlite_path;
        to.redis = from.redis;
    };
    return row;
}

const Table<Store>& store_keys() {
    static const Table<Store> table({
        store_url(),
        key("timeout", &Store::timeout, duration(), "Longest wait for one operation; a claim is tried twice."),
        at_start("prefix", &Store::prefix, text("text", prefix_complaint, "^[A-Za-z0-9_.-]{1,64}$"),
                 "Prefix of Redis keys and channels, or name of the table; services that share a store need one each."),
        later<Store>("backstop", only_null(), {}, "A durable SQL store behind this one."),
        later<Store>("cache", size(Zero::allowed), std::uint64_t{0}, "Bytes of completed records kept in memory."),
        later<Store>("spool", only_null(), {}, "File for completions that the store has not confirmed at shutdown."),
        later_section<Store>("redis", redis_keys, "Durability of Redis."),
        later<Store>("id_key_file", only_null(), {}, "Key that record ids are made with."),
        later_section<Store>("encryption", encryption_keys, "Encryption of what is recorded."),
    });
    return table;
}

const Table<Limits>& limit_keys() {
    static const Table<Limits> table({
        key("header_bytes", &Limits::header_bytes, size(), "Most bytes of a request's head."),
        key("header_count", &Limits::header_count, count(1, 10'000), "Most fields of a request's head."),
        key("request_target", &Limits::request_target, size(), "Most bytes of a request's target."),
        key("connections", &Limits::connections, count(1, connections_max), "Most client connections of the whole process."),
        key("header_timeout", &Limits::header_timeout, duration(),
            "Longest wait for a whole head, from its first byte; on a new connection, from its start."),
        key("body_timeout", &Limits::body_timeout, duration(),
            "Longest wait between two pieces of a body. A guarded one may take 10 times as long, or longer at 500 bytes a "
            "second."),
        key("idle_timeout", &Limits::idle_timeout, duration(), "How long a client connection is kept for a further request."),
    });
    return table;
}

const Table<Log>& log_keys() {
    static const Table<Log> table({
        key("level", &Log::level,
            words<LogLevel>({{"trace", LogLevel::trace},
                             {"debug", LogLevel::debug},
                             {"info", LogLevel::info},
                             {"warn", LogLevel::warn},
                             {"error", LogLevel::error}}),
            "Least important messages that are written."),
        key("format", &Log::format, words<LogFormat>({{"json", LogFormat::json}, {"text", LogFormat::text}}),
            "One JSON object a line, or text for people; access lines are JSON in either."),
        key("access", &Log::access, boolean(), "Whether each request is logged."),
    });
    return table;
}

const Table<Cors>& cors_keys() {
    static const Table<Cors> table({
        key("allow", &Cors::allow, boolean(),
            "Whether Idempotency-Key is added to Access-Control-Allow-Headers of answers that carry CORS headers."),
        key("expose", &Cors::expose, boolean(),
            "Whether the status headers are added to Access-Control-Expose-Headers of such answers."),
    });
    return table;
}

/// `auto` is zero threads.
Syntax<std::uint32_t> threads() {
    const auto inner = automatic_or_count(1, 1024);
    const auto read = [inner](const Cursor& cursor, std::uint32_t& value) {
        std::optional<std::uint32_t> given;
        inner.read(cursor, given);
        value = given.value_or(0);
    };
    const auto write = [](const std::uint32_t& value) { return value == 0 ? Json("auto") : Json(value); };
    return {inner.type, inner.schema, read, write, {}};
}

/// A key that `load_routes` reads.
Row<Options> of_routes(KeyInfo info, const Table<Route>& (*table)(), std::function<Json(const Options&)> write = {}) {
    info.keys = [table]() -> const std::vector<KeyInfo>& { return table().infos; };
    return {std::move(info), {}, std::move(write)};
}

Row<Options> listen_row() {
    auto row = at_start("listen", &Options::listen, listeners(),
                        "Where clients connect: host:port, unix:/path, a mapping {address, tls, proxy_protocol}, or a list of "
                        "these.");
    row.keep = keep_listeners;
    return row;
}

}  // namespace

const Table<Options>& option_keys() {
    static const Table<Options> table({
        listen_row(),
        at_start("health", &Options::health, address_or_off(), "Read-only listener with /livez, /readyz and /metrics; or off."),
        at_start(
            "admin", &Options::admin, admin(),
            "Control listener: records, configuration, log level, reload; an address, a mapping {address, token_file}, or off."),
        key("jwt_verified", &Options::jwt_verified, boolean(), "Whether something in front verifies bearer tokens."),
        key("trusted_proxies", &Options::trusted_proxies, list_of(cidr(), Empty::allowed),
            "Networks whose X-Forwarded-* and Forwarded are believed; a list of addresses from the right, up to the first of no "
            "such network."),
        key("forwarded", &Options::forwarded, boolean(), "Whether Forwarded (RFC 7239) is sent too."),
        at_start("threads", &Options::threads, threads(), "Event loops; auto is one for each core that may be used."),
        key_of<Options>("upstream", &Options::upstream, upstream(), "The service behind: its url, or a mapping.", Need::required),
        key("store", &Options::store, section(store_keys), "Where records are kept."),
        key("limits", &Options::limits, section(limit_keys), "Bounds on what a client may send or hold."),
        key("shutdown_min", &Options::shutdown_min, duration(Zero::allowed),
            "How long requests are served as before after SIGTERM, but for Connection: close; /readyz says 503 from the start."),
        key("shutdown_grace", &Options::shutdown_grace, duration(),
            "Longest time that requests in flight get after that, from when no new connection is taken."),
        key("log", &Options::log, section(log_keys), "What is logged, and how."),
        at_start("worker_id", &Options::worker_id, automatic_or_count(0, 1023),
                 "Worker number in operation ids; auto leases one from the store."),
        later_section<Options>("tokens", token_keys, "One-time tokens."),
        later_section<Options>("ids", id_keys, "Snowflake ids for clients."),
        key("cors", &Options::cors, section(cors_keys), "What browsers of other origins may send and see."),
        of_routes({"defaults",
                   "Any key of a route but name and path; mappings merge, lists replace.",
                   "mapping",
                   Availability::now,
                   Need::optional,
                   [] { return section_schema(default_keys().infos, write_keys(default_keys(), Route{})); },
                   {}},
                  default_keys),
        of_routes(
            {"routes",
             "Which requests are guarded, and how; the first that matches wins.",
             "list of mappings",
             Availability::now,
             Need::required,
             [] {
                 return Json{{"type", "array"}, {"items", section_schema(route_keys().infos, write_keys(route_keys(), Route{}))}};
             },
             {}},
            route_keys,
            [](const Options& options) {
                Json out = Json::array();
                for (const auto& route : options.routes) {
                    out.push_back(write_keys(route_keys(), route));
                }
                return out;
            }),
    });
    return table;
}

}  // namespace onceward::config
