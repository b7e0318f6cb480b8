#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The configuration as plain values (spec section 4): what a loaded, validated file means. Defaults stand here and nowhere else.
/// Immutable once loaded; shared between threads as `const`. A reload makes another one.

namespace onceward::config {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

inline constexpr std::uint64_t kib = 1024;
inline constexpr std::uint64_t mib = 1024 * kib;

/// Where to listen, or to connect to without a scheme.
struct Address {
    std::string host;        ///< IP address or name; IPv6 without brackets; empty for a unix socket
    std::uint16_t port = 0;  ///< 0 for a unix socket
    std::string unix_path;   ///< absolute; empty for TCP
    [[nodiscard]] bool is_unix() const { return !unix_path.empty(); }
    bool operator==(const Address&) const = default;
};
/// `host:port`, `[v6]:port` or `unix:/path`.
std::string to_text(const Address& address);
/// `localhost`, `127.*` or `::1`: nothing outside of this host reaches it. Other spellings are not known.
bool is_loopback(std::string_view host);

/// A file in PEM that was read with the configuration.
struct PemFile {
    std::string path;     ///< absolute; empty: none is given
    std::string content;  ///< of a key: secret
    bool operator==(const PemFile&) const = default;
};

struct ListenerTls {
    PemFile certificate;  ///< the server's own, its chain behind it
    PemFile key;
    PemFile client_ca;  ///< given: clients must show a certificate that one of these has signed
    bool operator==(const ListenerTls&) const = default;
};

/// Where clients connect.
struct Listener {
    Address address;
    std::optional<ListenerTls> tls;  ///< nothing: plain HTTP
    bool proxy_protocol = false;     ///< connections begin with a header of the PROXY protocol, version 1 or 2
};

/// An IP network, for `trusted_proxies`. IPv4 is held as IPv4-mapped IPv6.
struct Cidr {
    std::uint8_t bytes[16] = {};
    std::uint8_t prefix_bits = 128;
};

struct UpstreamTls {
    PemFile ca;  ///< none: the authorities that the system trusts
    PemFile certificate;
    PemFile key;
    std::string server_name;  ///< that the certificate must be for; empty: the url's host
    bool verify = true;
    bool operator==(const UpstreamTls&) const = default;
};

struct Upstream {
    Address address;
    bool secure = false;  ///< the url says https
    UpstreamTls tls;
    std::string url;  ///< as configured, for people
    milliseconds connect_timeout = seconds{1};
    milliseconds response_timeout = seconds{30};
    milliseconds execution_timeout = minutes{5};
    milliseconds idle_timeout = seconds{60};
    std::uint32_t max_connections = 256;  ///< of the whole process
    milliseconds queue_timeout = seconds{1};
};

enum class StoreKind : std::uint8_t { memory, sqlite, redis };

struct RedisOptions {
    Address address;
    std::string user;      ///< empty: the default user
    std::string password;  ///< secret; empty: no AUTH
    std::uint32_t database = 0;
};

struct Store {
    StoreKind kind = StoreKind::sqlite;
    std::string url = "sqlite:onceward.db";  ///< as configured; may hold a secret: show it through `config::masked`
    std::string sqlite_path;                 ///< absolute
    RedisOptions redis;
    milliseconds timeout{500};        ///< one operation
    std::string prefix = "onceward";  ///< of Redis keys, or the table name; [A-Za-z0-9_.-]{1,64}
};

struct Limits {
    std::uint64_t header_bytes = 64 * kib;
    std::uint32_t header_count = 100;
    std::uint64_t request_target = 8 * kib;
    std::uint32_t connections = 10'000;  ///< of the whole process
    milliseconds header_timeout = seconds{10};
    milliseconds body_timeout = seconds{30};  ///< between bytes
    milliseconds idle_timeout = seconds{75};
};

enum class LogLevel : std::uint8_t { trace, debug, info, warn, error };
enum class LogFormat : std::uint8_t { json, text };

struct Log {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::json;
    bool access = true;
};

/// The control listener.
struct Admin {
    Address address{"127.0.0.1", 9901, {}};
    std::string token_file;  ///< absolute; its tokens are secrets; empty: no token is asked for
};

struct Cors {
    bool allow = false;   ///< add Idempotency-Key to Access-Control-Allow-Headers
    bool expose = false;  ///< add the status headers to Access-Control-Expose-Headers
};

enum class SourceKind : std::uint8_t { header, query, json, form, multipart, path, host, tls_subject, derived, jwt };

/// One place of a request that a value is taken from: `header:Name`, `query:name`, `json:/pointer`, … (spec section 4).
struct Source {
    SourceKind kind = SourceKind::header;
    std::string name;  ///< header name, query name, JSON pointer, field, path parameter or claim; empty for `host`,
                       ///< `tls:subject` and `derived`
    bool operator==(const Source&) const = default;
};
/// As it is written in YAML.
std::string to_text(const Source& source);

/// Sources whose values are joined, length-prefixed; all must be present.
using SourceList = std::vector<Source>;

struct Key {
    /// Alternatives: the first that is present wins; two present with different values are an error.
    std::vector<SourceList> from{{Source{SourceKind::header, "Idempotency-Key"}}};
    bool required = true;
    std::optional<std::string> pattern;  ///< RE2 syntax; the whole key must match
};

enum class PartKind : std::uint8_t { method, path, query, body, header };
struct Part {
    PartKind kind = PartKind::method;
    std::string header;  ///< only for `header`
};
enum class JsonMode : std::uint8_t { raw, canonical };

struct Fingerprint {
    std::vector<Part> parts{{PartKind::method, {}}, {PartKind::path, {}}, {PartKind::query, {}}, {PartKind::body, {}}};
    JsonMode json = JsonMode::raw;
    std::vector<std::string> ignore;  ///< JSON pointers left out of a canonical body
};

enum class Mode : std::uint8_t { enforce, off };
enum class OnUnknown : std::uint8_t { hold, reforward };
enum class OnStoreFailure : std::uint8_t { reject, forward };

/// What is done with the key's own header on the way to the upstream.
struct ForwardKey {
    enum class Kind : std::uint8_t { keep, strip, rename };
    Kind kind = Kind::keep;
    std::string name;  ///< only for `rename`
};

enum class OutcomeProfile : std::uint8_t { standard, strict, stripe };

/// Statuses as sets: index is the status minus 100.
class StatusSet {
public:
    void add(int status) { bits_[index(status)] = true; }
    void add_class(int hundreds);  ///< 5 for `5xx`
    [[nodiscard]] bool contains(int status) const { return status >= 100 && status <= 599 && bits_[index(status)]; }
    bool operator==(const StatusSet&) const = default;

private:
    static std::size_t index(int status) { return static_cast<std::size_t>(status - 100); }
    bool bits_[500] = {};
};

struct Outcomes {
    OutcomeProfile profile = OutcomeProfile::standard;
    /// Resolved: the profile's lists, each replaced where the route gives its own. `hold` wins over `fail`.
    StatusSet fail;
    StatusSet hold;
};
/// The lists of a profile: standard fails 401 403 407 408 425 429 and 5xx, holds 502 504; strict holds every 5xx; stripe records
/// 500.
Outcomes outcomes_of(OutcomeProfile profile);

enum class ErrorFormat : std::uint8_t { problem, plain };

struct Errors {
    ErrorFormat format = ErrorFormat::problem;
    std::map<std::string, int, std::less<>> status;            ///< code name → 400..599
    std::map<std::string, std::string, std::less<>> messages;  ///< code name → message
};

struct Route {
    std::string name;  ///< [A-Za-z0-9._-]{1,64}, unique
    std::string path;  ///< pattern: exact, `{name}` one segment, a final `/**` any depth
    std::vector<std::string> methods{"POST", "PATCH"};
    bool case_sensitive = false;
    Mode mode = Mode::enforce;
    Key key;
    SourceList scope;
    SourceList caller{Source{SourceKind::header, "Authorization"}};
    Fingerprint fingerprint;
    milliseconds lease = seconds{15};
    milliseconds retention = hours{24};
    milliseconds tombstone = hours{7 * 24};
    milliseconds unknown_retention = hours{72};
    milliseconds wait{0};
    std::uint64_t max_request_body = mib;
    std::uint64_t spool_threshold = 256 * kib;
    std::uint64_t max_recorded_body = mib;
    bool record_body = true;
    std::vector<std::string> record_headers_except{"Set-Cookie"};
    ForwardKey forward_key;
    Outcomes outcomes = outcomes_of(OutcomeProfile::standard);
    OnUnknown on_unknown = OnUnknown::hold;
    OnStoreFailure on_store_failure = OnStoreFailure::reject;
    Errors errors;
};
/// Whether it takes its key, scope or caller from the client's certificate.
bool reads_subject(const Route& route);

/// The route of this name; null when there is none.
const Route* find_route(const std::vector<Route>& routes, std::string_view name);

struct Options {
    std::vector<Listener> listen{{{"0.0.0.0", 8080, {}}, {}, false}};
    std::optional<Address> health = Address{"0.0.0.0", 9900, {}};  ///< nothing: off
    std::optional<Admin> admin = Admin{};                          ///< nothing: off
    bool jwt_verified = false;
    std::vector<Cidr> trusted_proxies;
    bool forwarded = false;
    std::uint32_t threads = 0;  ///< 0: auto
    Upstream upstream;
    Store store;
    Limits limits;
    milliseconds shutdown_min{0};
    milliseconds shutdown_grace = seconds{25};
    Log log;
    std::optional<std::uint32_t> worker_id;  ///< 0..1023; nothing: auto
    Cors cors;
    std::vector<Route> routes;
};

}  // namespace onceward::config
