#include "cli/endpoint.hpp"

#include "config/address.hpp"
#include "onceward/config/load.hpp"
#include "onceward/config/token_file.hpp"

#include <filesystem>

namespace onceward::cli {

namespace {

std::variant<config::Options, NoEndpoint> load(const std::string& file) {
    auto loaded = config::load_file(file);
    if (loaded.ok()) {
        return std::move(loaded.options);
    }
    std::string what = "the configuration can't be used; an address of the listener can be given instead";
    for (const auto& error : loaded.errors) {
        what += "\nerror: " + to_text(error);
    }
    return NoEndpoint{what};
}

std::variant<Endpoint, NoEndpoint> with_token(const config::Address& address, const std::string& token_file) {
    Endpoint endpoint{reachable(address), {}};
    if (!token_file.empty()) {
        auto tokens = config::read_tokens(token_file);
        if (const auto* complaint = std::get_if<std::string>(&tokens)) {
            return NoEndpoint{*complaint};
        }
        endpoint.token = std::get<std::vector<std::string>>(tokens).front();
    }
    return endpoint;
}

std::variant<Endpoint, NoEndpoint> at_url(const std::string& url, const std::string& token_file) {
    const auto address = parse_endpoint(url);
    if (const auto* complaint = std::get_if<NoEndpoint>(&address)) {
        return *complaint;
    }
    return with_token(std::get<config::Address>(address), token_file);
}

}  // namespace

std::variant<config::Address, NoEndpoint> parse_endpoint(const std::string& url) {
    constexpr std::string_view scheme = "http://";
    std::string text = url;
    if (text.compare(0, scheme.size(), scheme) == 0) {
        text.erase(0, scheme.size());
        if (!text.empty() && text.back() == '/') {
            text.pop_back();
        }
    }
    auto parsed = config::parse_address(text, std::filesystem::current_path());
    if (std::holds_alternative<config::Complaint>(parsed)) {
        return NoEndpoint{"'" + url + "' is no address of a listener: expected http://host:port or unix:/path"};
    }
    return std::get<config::Address>(std::move(parsed));
}

config::Address reachable(config::Address address) {
    if (address.host == "0.0.0.0") {
        address.host = "127.0.0.1";
    } else if (address.host == "::") {
        address.host = "::1";
    }
    return address;
}

std::variant<Endpoint, NoEndpoint> admin_endpoint(const Invocation& invocation) {
    const auto& records = invocation.records;
    if (!records.admin.empty()) {
        return at_url(records.admin, records.token_file);
    }
    if (invocation.file.empty()) {
        return with_token(config::Admin{}.address, records.token_file);
    }
    const auto loaded = load(invocation.file);
    if (const auto* complaint = std::get_if<NoEndpoint>(&loaded)) {
        return *complaint;
    }
    const auto& admin = std::get<config::Options>(loaded).admin;
    if (!admin) {
        return NoEndpoint{invocation.file +
                          " says admin: off. Give it an address there, such as admin: 127.0.0.1:9901, and restart"};
    }
    return with_token(admin->address, records.token_file.empty() ? admin->token_file : records.token_file);
}

std::variant<Endpoint, NoEndpoint> health_endpoint(const Invocation& invocation) {
    if (!invocation.health.empty()) {
        return at_url(invocation.health, {});
    }
    if (invocation.file.empty()) {
        return with_token(*config::Options{}.health, {});
    }
    const auto loaded = load(invocation.file);
    if (const auto* complaint = std::get_if<NoEndpoint>(&loaded)) {
        return *complaint;
    }
    const auto& options = std::get<config::Options>(loaded);
    if (options.health) {
        return with_token(*options.health, {});
    }
    if (options.admin) {
        return with_token(options.admin->address, options.admin->token_file);
    }
    return NoEndpoint{invocation.file + " says health: off and admin: off: nothing answers /readyz"};
}

}  // namespace onceward::cli
