#include "cli/records.hpp"

#include "cli/admin_client.hpp"
#include "cli/confirm.hpp"
#include "cli/endpoint.hpp"
#include "cli/output.hpp"
#include "cli/record_table.hpp"
#include "onceward/base/base64.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>

namespace onceward::cli {

namespace {

using Json = AdminClient::Json;

constexpr std::size_t whole_id_digits = 64;
constexpr std::size_t candidates_max = 10;

std::chrono::sys_seconds now() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::string parameter(const char* name, const std::string& value) {
    return value.empty() ? std::string{} : std::string("&") + name + "=" + query_escaped(value);
}

int list(AdminClient& client, const Invocation& invocation) {
    const auto& asked = invocation.records;
    const auto page = client.list(parameter("route", asked.route) + parameter("state", asked.state) +
                                      parameter("older_than", asked.older_than) + parameter("id", asked.id),
                                  asked.limit);
    if (page.more) {
        std::cerr << "There are more records: --limit N shows more, --route, --state and --older-than show fewer kinds.\n";
    }
    if (invocation.output == Output::json) {
        return print(Json{{"records", page.records}, {"more", page.more}}.dump(2) + "\n");
    }
    if (page.records.empty()) {
        std::cerr << "No records.\n";
        return fine;
    }
    return print(record_table(page.records, now()));
}

std::string id_of_digits(AdminClient& client, const std::string& digits) {
    const auto page = client.list(parameter("id", digits), candidates_max);
    if (page.records.empty()) {
        throw Stop{failed, "there is no record whose id begins with " + printable(digits)};
    }
    if (page.records.size() > 1) {
        throw Stop{failed, "more than one id begins with " + printable(digits) + ":\n" + record_table(page.records, now())};
    }
    return page.records[0].at("id").get<std::string>();
}

/// The one record that the arguments name.
Json find(AdminClient& client, const RecordArguments& asked) {
    std::string id;
    if (asked.id.empty()) {
        std::string target = "/records/lookup?route=" + query_escaped(asked.route);
        for (const auto& key : asked.keys) {
            target += "&key=" + query_escaped(key);
        }
        for (const auto& scope : asked.scopes) {
            target += "&scope=" + query_escaped(scope);
        }
        auto record = client.call("GET", target);
        if (!asked.body) {
            return record;
        }
        id = record.at("id").get<std::string>();
    } else {
        id = asked.id.size() < whole_id_digits ? id_of_digits(client, asked.id) : asked.id;
    }
    return client.call("GET", "/records/" + query_escaped(id) + (asked.body ? "?body=true" : ""));
}

int show(AdminClient& client, const Invocation& invocation) {
    const auto record = find(client, invocation.records);
    return print(invocation.output == Output::json ? record.dump(2) + "\n" : record_text(record, now()));
}

std::string read_body(const std::string& file) {
    std::ifstream opened;
    if (file != "-") {
        opened.open(file, std::ios::binary);
    }
    std::istream& in = file == "-" ? std::cin : opened;
    if (!in) {
        throw Stop{bad_usage, "the file " + printable(file) + " can't be read"};
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The content of a resolve.
std::string resolution_of(const RecordArguments& asked) {
    Json content{{"outcome", asked.outcome}};
    if (asked.outcome == "failed") {
        return content.dump();
    }
    content["status"] = asked.status.value();
    auto headers = Json::array();
    for (const auto& line : asked.headers) {
        const auto colon = line.find(':');
        headers.push_back(Json::array({line.substr(0, colon), line.substr(colon + 1)}));
    }
    content["headers"] = headers;
    if (!asked.body_file.empty()) {
        content["body_base64"] = base::to_base64(read_body(asked.body_file));
    }
    return content.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string question_of(const Invocation& invocation) {
    if (invocation.command == Command::release_record) {
        return "Free this key, so that the same request with it executes again?";
    }
    return invocation.records.outcome == "failed" ? "Say that this operation was not executed, so that the next request executes?"
                                                  : "Say that this operation was executed, and give later requests this answer?";
}

/// Shows the record, asks, and changes what was shown: the listener refuses when it is another by then.
int change(AdminClient& client, const Invocation& invocation) {
    const auto& asked = invocation.records;
    const bool release = invocation.command == Command::release_record;
    const auto content = release ? std::string{} : resolution_of(asked);
    const auto record = find(client, asked);
    std::cerr << record_text(record, now());
    if (!asked.yes) {
        switch (confirm(question_of(invocation))) {
            case Consent::given:
                break;
            case Consent::refused:
                throw Stop{failed, "nothing was changed"};
            case Consent::nobody_to_ask:
                throw Stop{bad_usage, "standard input is no terminal, so that nobody can be asked: --yes goes ahead"};
        }
    }
    const auto target = "/records/" + record.at("id").get<std::string>() + (release ? "/release" : "/resolve") +
                        "?fence=" + record.at("fence").dump() + "&state=" + query_escaped(record.at("state").get<std::string>()) +
                        (asked.force ? "&force=true" : "");
    const auto changed = client.call("POST", target, content);
    if (invocation.output == Output::json) {
        return print(changed.dump(2) + "\n");
    }
    return print((release ? "released: now " : "resolved: now ") + changed.at("state").get<std::string>() + "\n");
}

int dispatch(AdminClient& client, const Invocation& invocation) {
    switch (invocation.command) {
        case Command::list_records:
            return list(client, invocation);
        case Command::show_record:
            return show(client, invocation);
        default:
            return change(client, invocation);
    }
}

}  // namespace

int execute_records(const Invocation& invocation) {
    auto endpoint = admin_endpoint(invocation);
    if (const auto* none = std::get_if<NoEndpoint>(&endpoint)) {
        std::cerr << "error: " << none->what << "\n";
        return bad_usage;
    }
    const auto limit = invocation.timeout.count() > 0 ? invocation.timeout : records_timeout;
    AdminClient client(std::get<Endpoint>(std::move(endpoint)), limit);
    try {
        return dispatch(client, invocation);
    } catch (const Stop& stop) {
        std::cerr << "error: " << stop.what << "\n";
        return stop.exit_code;
    } catch (const Json::exception&) {
        std::cerr << "error: the answer is not what an admin listener says\n";
        return failed;
    }
}

}  // namespace onceward::cli
