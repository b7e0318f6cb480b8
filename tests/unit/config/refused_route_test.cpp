#include "catch.hpp"
#include "loading.hpp"

#include <algorithm>

using namespace onceward::config;

namespace {

struct Row {
    std::string lines;     ///< of the route, from line 6 of the file
    std::string expected;  ///< what the only error begins with, after `c.yaml:6:`
};

}  // namespace

TEST_CASE("values of a route that can't be meant are refused, each at its place") {
    const auto row = GENERATE(values<Row>({
        {"    lease: 30\n", "12: routes[0].lease: \"30\" has no unit: expected a number and a unit"},
        {"    lease: 0s\n", "12: routes[0].lease: \"0s\" is zero: expected more than zero"},
        {"    lease: -5s\n", "12: routes[0].lease: \"-5s\" is negative"},
        {"    lease: 30 s\n", "12: routes[0].lease: \"30 s\" is not a duration"},
        {"    lease: 1e3s\n", "12: routes[0].lease: \"1e3s\" is not a duration"},
        {"    lease: PT30S\n", "12: routes[0].lease: \"PT30S\" is not a duration"},
        {"    lease: 99999999999999999d\n", "12: routes[0].lease: \"99999999999999999d\" is too large"},
        {"    lease: ''\n", "12: routes[0].lease: empty: expected a number and a unit"},
        {"    lease: [30s]\n", "12: routes[0].lease: expected a duration, found a list"},
        {"    lease: {a: b}\n", "12: routes[0].lease: expected a duration, found a mapping"},
        {"    lease: null\n", "5: routes[0].lease: expected a duration, found null"},
        {"    lease: ~\n", "5: routes[0].lease: expected a duration, found null"},
        {"    lease:\n", "5: routes[0].lease: expected a duration, found null"},
        {"    lease: true\n", "12: routes[0].lease: \"true\" is not a duration"},
        {"    retention: 0h\n", "16: routes[0].retention: \"0h\" is zero"},
        {"    retention: null\n", "5: routes[0].retention: expected a duration, found null"},
        {"    lease: 48h\n    retention: 24h\n",
         "12: routes[0].lease: the lease of 2d is longer than the retention of 1d: expected at most as long"},
        {"    lease: 2d\n", "12: routes[0].lease: the lease of 2d is longer than the retention"},
        {"    retention: 5s\n",
         "16: routes[0].retention: the lease of 15s is longer than the retention of 5s: expected at most as long"},
        {"    unknown_retention: 0s\n", "24: routes[0].unknown_retention: \"0s\" is zero"},
        {"    tombstone: -1d\n", "16: routes[0].tombstone: \"-1d\" is negative"},
        {"    tombstone: null\n", "5: routes[0].tombstone: expected a duration, found null"},
        {"    wait: -1s\n", "11: routes[0].wait: \"-1s\" is negative"},
        {"    max_request_body: 1MB!\n", "23: routes[0].max_request_body: \"1MB!\" is not a size"},
        {"    max_request_body: -1KiB\n", "23: routes[0].max_request_body: \"-1KiB\" is negative"},
        {"    max_request_body: 99999999999999TiB\n", "23: routes[0].max_request_body: \"99999999999999TiB\" is too large"},
        {"    max_request_body: 1024\n", "23: routes[0].max_request_body: \"1024\" has no unit"},
        {"    max_recorded_body: 0\n", "24: routes[0].max_recorded_body: \"0\" has no unit"},
        {"    max_recorded_body: 0KiB\n", "24: routes[0].max_recorded_body: \"0KiB\" is zero"},
        {"    mode: enforced\n", "11: routes[0].mode: \"enforced\" is not one of the words here: expected enforce or off"},
        {"    mode: null\n", "5: routes[0].mode: expected enforce or off, found null"},
        {"    mode: 0\n", "11: routes[0].mode: expected enforce or off, found the number 0"},
        {"    kind: msg\n", "11: routes[0].kind: \"msg\" is not one of the words here: expected request"},
        {"    on_unknown: retry\n",
         "17: routes[0].on_unknown: \"retry\" is not one of the words here: expected hold or reforward"},
        {"    on_store_failure: open\n",
         "23: routes[0].on_store_failure: \"open\" is not one of the words here: expected reject or forward"},
        {"    case_sensitive: maybe\n", "21: routes[0].case_sensitive: expected true or false, found \"maybe\""},
        {"    case_sensitive: 1\n", "21: routes[0].case_sensitive: expected true or false, found the number 1"},
        {"    record_body: 'yes'\n", "18: routes[0].record_body: expected true or false, found \"yes\""},
        {"    record_headers_except: ['bad header']\n",
         "29: routes[0].record_headers_except[0]: \"bad header\" is not a header name"},
        {"    record_headers_except: Set-Cookie\n", "28: routes[0].record_headers_except: expected a list"},
        {"    record_headers_except: ['']\n", "29: routes[0].record_headers_except[0]: \"\" is not a header name"},
        {"    name: 'a b'\n", "11: routes[0].name: \"a b\" is not a name: expected 1 to 64 of A-Z a-z 0-9 . _ -"},
        {"    name: ''\n", "11: routes[0].name: \"\" is not a name"},
        {"    name: 123\n", "11: routes[0].name: expected text, found the number 123"},
        {"    name: true\n", "11: routes[0].name: expected text, found the boolean true"},
        {"    name: 0x1F\n", "11: routes[0].name: expected text, found the number 0x1F"},
        {"    name: null\n", "5: routes[0].name: expected text, found null"},
    }));
    CAPTURE(row.lines);
    const auto errors = errors_of(load_route_lines(row.lines));
    CAPTURE(errors);
    const auto expected = "c.yaml:6:" + row.expected;
    CHECK(errors.compare(0, expected.size(), expected) == 0);
    CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
}

TEST_CASE("key, scope, caller and fingerprint take only what they know") {
    const auto row = GENERATE(values<Row>({
        {"    key: {required: maybe}\n", "21: routes[0].key.required: expected true or false, found \"maybe\""},
        {"    key: {pattern: '['}\n", "20: routes[0].key.pattern: \"[\" is not a pattern"},
        {"    key: {pattern: ''}\n", "20: routes[0].key.pattern: \"\" is not a pattern"},
        {"    key: {pattern: [a]}\n", "20: routes[0].key.pattern: expected regular expression, found a list"},
        {"    key: null\n", "5: routes[0].key: expected a mapping of keys to values, found null"},
        {"    key: stripe\n", "10: routes[0].key: expected a mapping of keys to values, found \"stripe\""},
        {"    key: {required: null}\n", "11: routes[0].key.required: expected true or false, found null"},
        {"    key: {from: ['head:X']}\n", "18: routes[0].key.from[0]: \"head:X\" can't be a source"},
        {"    key: {from: ['header:']}\n", "18: routes[0].key.from[0]: \"header:\" can't be a source"},
        {"    key: {from: []}\n", "17: routes[0].key.from: an empty list: expected at least one source"},
        {"    key: {from: [[]]}\n", "18: routes[0].key.from[0]: an empty list: expected at least one source"},
        {"    key: {from: [['header:A', [b]]]}\n", "31: routes[0].key.from[0][1]: expected source, found a list"},
        {"    key: {from: 'header:X'}\n", "17: routes[0].key.from: expected a list of sources, or the name of a preset"},
        {"    key: {from: null}\n", "11: routes[0].key.from: expected a list of sources"},
        {"    key: {from: {header: X}}\n", "17: routes[0].key.from: expected a list of sources"},
        {"    key: {from: ['json:pointer']}\n", "18: routes[0].key.from[0]: \"json:pointer\" can't be a source"},
        {"    key: {from: ['path:id']}\n",
         "17: routes[0].key.from: path:id names no segment of /api/orders: expected a {id} in the path"},
        {"    scope: ['header:']\n", "13: routes[0].scope[0]: \"header:\" can't be a source"},
        {"    scope: header:X\n", "12: routes[0].scope: expected a list"},
        {"    scope: [['header:X']]\n", "13: routes[0].scope[0]: expected source, found a list"},
        {"    scope: ['path:id']\n", "12: routes[0].scope: path:id names no segment"},
        {"    scope: null\n", "5: routes[0].scope: expected a list"},
        {"    caller: ['path:id']\n", "13: routes[0].caller: path:id names no segment"},
        {"    caller: ['jwt:sub']\n",
         "13: routes[0].caller: a claim of a token that nobody verified: expected the top-level jwt_verified: true"},
        {"    caller: null\n", "5: routes[0].caller: expected a list"},
        {"    fingerprint: {parts: [metod]}\n", "27: routes[0].fingerprint.parts[0]: \"metod\" is not a part of a request"},
        {"    fingerprint: {parts: ['header:']}\n", "27: routes[0].fingerprint.parts[0]: \"header:\" is not a part of a request"},
        {"    fingerprint: {parts: body}\n", "26: routes[0].fingerprint.parts: expected a list"},
        {"    fingerprint: {json: yes}\n",
         "25: routes[0].fingerprint.json: \"yes\" is not one of the words here: expected raw or canonical"},
        {"    fingerprint: {json: canonical, ignore: [ts]}\n",
         "45: routes[0].fingerprint.ignore[0]: \"ts\" is not a JSON pointer"},
        {"    fingerprint: {json: canonical, ignore: [/a~2]}\n",
         "45: routes[0].fingerprint.ignore[0]: \"/a~2\" is not a JSON pointer"},
        {"    fingerprint: {json: canonical, ignore: ['']}\n", "45: routes[0].fingerprint.ignore[0]: \"\" is not a JSON pointer"},
    }));
    CAPTURE(row.lines);
    const auto errors = errors_of(load_route_lines(row.lines));
    CAPTURE(errors);
    const auto expected = "c.yaml:6:" + row.expected;
    CHECK(errors.compare(0, expected.size(), expected) == 0);
    CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
}

TEST_CASE("outcomes, errors and the forwarded key take only what they know") {
    const auto row = GENERATE(values<Row>({
        {"    outcomes: {fail: [5xy]}\n",
         "23: routes[0].outcomes.fail[0]: \"5xy\" is not a status: expected 200 to 599, or a class such as 5xx"},
        {"    outcomes: {fail: [99]}\n", "23: routes[0].outcomes.fail[0]: \"99\" is not a status"},
        {"    outcomes: {fail: [1000]}\n", "23: routes[0].outcomes.fail[0]: \"1000\" is not a status"},
        {"    outcomes: {fail: [100]}\n", "23: routes[0].outcomes.fail[0]: \"100\" is not a status"},
        {"    outcomes: {fail: [600]}\n", "23: routes[0].outcomes.fail[0]: \"600\" is not a status"},
        {"    outcomes: {fail: [1xx]}\n", "23: routes[0].outcomes.fail[0]: \"1xx\" is not a status"},
        {"    outcomes: {fail: [null]}\n", "23: routes[0].outcomes.fail[0]: expected a status such as 503 or 5xx, found null"},
        {"    outcomes: {hold: 5xx}\n",
         "22: routes[0].outcomes.hold: expected a list of statuses, such as [429, 5xx], found \"5xx\""},
        {"    outcomes: {profile: lax}\n",
         "25: routes[0].outcomes.profile: \"lax\" is not one of the words here: expected standard, strict or stripe"},
        {"    outcomes: strict\n", "15: routes[0].outcomes: expected a mapping"},
        {"    outcomes: null\n", "5: routes[0].outcomes: expected a mapping"},
        {"    forward_key: rename\n",
         "18: routes[0].forward_key: expected keep, strip or {rename: Header-Name}, found \"rename\""},
        {"    forward_key: {rename: 'a b'}\n", "27: routes[0].forward_key.rename: \"a b\" is not a header name"},
        {"    forward_key: {rename: ''}\n", "27: routes[0].forward_key.rename: \"\" is not a header name"},
        {"    forward_key: {rename: null}\n", "19: routes[0].forward_key.rename: expected a header name, found null"},
        {"    forward_key: {rename: Host}\n", "27: routes[0].forward_key.rename: \"Host\" is a field of HTTP or of Onceward"},
        {"    forward_key: {rename: idempotency-FENCE}\n", "27: routes[0].forward_key.rename: \"idempotency-FENCE\" is a field"},
        {"    forward_key: {remane: X}\n",
         "18: routes[0].forward_key: expected keep, strip or {rename: Header-Name}, found a mapping"},
        {"    forward_key: null\n", "5: routes[0].forward_key: expected keep, strip"},
        {"    errors: {format: xml}\n",
         "22: routes[0].errors.format: \"xml\" is not one of the words here: expected problem or plain"},
        {"    errors: {status: {NOT_A_CODE: 400}}\n", "23: routes[0].errors.status.NOT_A_CODE: unknown code \"NOT_A_CODE\""},
        {"    errors: {status: {PROCESING: 423}}\n",
         "23: routes[0].errors.status.PROCESING: unknown code \"PROCESING\": did you mean \"PROCESSING\"?"},
        {"    errors: {status: {processing: 423}}\n",
         "23: routes[0].errors.status.processing: unknown code \"processing\": did you mean \"PROCESSING\"?"},
        {"    errors: {status: {PROCESSING: 99}}\n",
         "35: routes[0].errors.status.PROCESSING: \"99\" is out of range: expected a whole number from 400 to 599"},
        {"    errors: {status: {PROCESSING: 200}}\n", "35: routes[0].errors.status.PROCESSING: \"200\" is out of range"},
        {"    errors: {status: {PROCESSING: 5xx}}\n",
         "35: routes[0].errors.status.PROCESSING: expected a number from 400 to 599"},
        {"    errors: {status: [409]}\n", "22: routes[0].errors.status: expected a mapping of codes"},
        {"    errors: {messages: {NOPE: x}}\n", "25: routes[0].errors.messages.NOPE: unknown code \"NOPE\""},
        {"    errors: {messages: {PROCESSING: ''}}\n", "37: routes[0].errors.messages.PROCESSING: empty: expected a message"},
        {"    errors: {messages: {PROCESSING: 5}}\n",
         "37: routes[0].errors.messages.PROCESSING: expected text, found the number 5"},
        {"    errors: {messages: {PROCESSING: null}}\n", "25: routes[0].errors.messages.PROCESSING: expected text, found null"},
        {"    errors: null\n", "5: routes[0].errors: expected a mapping"},
    }));
    CAPTURE(row.lines);
    const auto errors = errors_of(load_route_lines(row.lines));
    CAPTURE(errors);
    const auto expected = "c.yaml:6:" + row.expected;
    CHECK(errors.compare(0, expected.size(), expected) == 0);
    CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
}

TEST_CASE("methods and paths that match nothing are refused") {
    const auto row = GENERATE(values<Row>({
        {"methods: POST GET", "routes[0].methods: expected a list, such as [a, b], found \"POST GET\""},
        {"methods: POST", "routes[0].methods: expected a list"},
        {"methods: []", "routes[0].methods: an empty list: expected at least one entry"},
        {"methods: null", "routes[0].methods: expected a list"},
        {"methods: [post]", "routes[0].methods[0]: \"post\" is not a method: expected a token in capitals such as POST"},
        {"methods: ['POST GET']", "routes[0].methods[0]: \"POST GET\" is not a method"},
        {"methods: ['']", "routes[0].methods[0]: \"\" is not a method"},
        {"methods: [POST, 5]", "routes[0].methods[1]: expected method, found the number 5"},
        {"path: api", "routes[0].path: \"api\" is not a path pattern: "},
        {"path: ''", "routes[0].path: \"\" is not a path pattern: "},
        {"path: null", "routes[0].path: expected path pattern, found null"},
        {"path: [/a]", "routes[0].path: expected path pattern, found a list"},
        {"path: '/a/**/b'", "routes[0].path: \"/a/**/b\" is not a path pattern: "},
        {"path: '/a/{'", "routes[0].path: \"/a/{\" is not a path pattern: "},
    }));
    CAPTURE(row.lines);
    const bool is_path = row.lines.compare(0, 5, "path:") == 0;
    const auto loaded = load("upstream: http://a:1\nroutes:\n  - " + (is_path ? row.lines : "path: /a\n    " + row.lines) + "\n");
    REQUIRE(loaded.errors.size() == 1);
    const auto text = loaded.errors[0].path + ": " + loaded.errors[0].message;
    CAPTURE(text);
    CHECK(text.compare(0, row.expected.size(), row.expected) == 0);
    CHECK(loaded.errors[0].line == (is_path ? 3 : 4));
}

TEST_CASE("two routes of one name are refused") {
    const auto given = load("upstream: http://a:1\nroutes:\n  - {path: /a, name: x}\n  - {path: /b, name: x}\n");
    CHECK(errors_of(given) == "c.yaml:4:22: routes[1].name: another route is called \"x\" already: expected a name of its own\n");
    const auto derived =
        load("upstream: http://a:1\nroutes:\n  - {path: /a/b, methods: [POST]}\n  - {path: /a/b, methods: [PUT]}\n");
    CHECK(errors_of(derived) ==
          "c.yaml:4:5: routes[1].name: another route is called \"a-b\" already: expected a name of its own\n");
}
