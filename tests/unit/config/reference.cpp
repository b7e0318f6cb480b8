#include "reference.hpp"

#include "config/keys.hpp"
#include "config/yaml_text.hpp"

namespace onceward::config {

namespace {

/// The defaults, with what a file must say itself.
Options smallest_options() {
    Options options;
    options.upstream.url = "http://127.0.0.1:3000";
    options.routes.emplace_back();
    options.routes[0].name = "api-orders";
    options.routes[0].path = "/api/orders";
    return options;
}

std::string escaped(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
        text.replace(at, 1, "\\|");
    }
    return text;
}

std::string default_of(const KeyInfo& key, const Json& value) {
    if (key.need == Need::required) {
        return "required";
    }
    if (key.keys && !(key.type != "mapping" && value.is_primitive())) {
        return "";
    }
    return "`" + escaped(yaml_inline(value)) + "`";
}

void append_rows(std::string& out, const std::vector<KeyInfo>& keys, const Json& defaults, const std::string& prefix) {
    for (const auto& key : keys) {
        const std::string name(key.name);
        const Json value = defaults.contains(name) ? defaults[name] : Json();
        if (key.availability == Availability::later) {
            continue;
        }
        const auto shown_default = name == "name" ? "from the path" : name == "defaults" ? "`{}`" : default_of(key, value);
        const std::string effect = key.effect == Effect::at_start ? " Read at the start alone." : "";
        out += "| `" + prefix + name + "` | " + escaped(key.type) + " | " + shown_default + " | " +
               escaped(std::string(key.meaning)) + effect + " |\n";
        if (key.keys && name != "defaults" && name != "routes") {
            // What is written as one address may be a mapping with more.
            const Json mapping{{"address", value}, {"tls", nullptr}, {"proxy_protocol", Listener{}.proxy_protocol}};
            append_rows(out, key.keys(), value.is_object() ? value : mapping, prefix + name + ".");
        }
    }
}

void append_later_rows(std::string& out, const std::vector<KeyInfo>& keys, const std::string& prefix) {
    for (const auto& key : keys) {
        const std::string name(key.name);
        if (name == "defaults") {
            continue;
        }
        if (key.keys) {
            append_later_rows(out, key.keys(), prefix + name + (name == "routes" ? "[]." : "."));
        } else if (key.availability == Availability::later) {
            const auto schema = key.schema();
            const auto only = schema.contains("const") ? schema["const"] : Json();
            out += "| `" + prefix + name + "` | `" + yaml_inline(only) + "` | " + std::string(key.meaning) + " |\n";
        }
    }
}

void append_annotated(std::string& out, const std::vector<KeyInfo>& keys, const Json& values, const std::string& indent) {
    for (const auto& key : keys) {
        const std::string name(key.name);
        if (key.availability == Availability::later) {
            continue;
        }
        out += indent + "# " + std::string(key.meaning) + "\n" + indent + name + ":";
        const Json value = values.contains(name) ? values[name] : Json::object();
        if (name == "routes") {
            std::string route;
            append_annotated(route, key.keys(), value[0], indent + "    ");
            out += "\n" + indent + "  - " + route.substr(indent.size() + 4);
        } else if (key.keys && !value.empty() && value.is_object()) {
            out += "\n";
            append_annotated(out, key.keys(), value, indent + "  ");
        } else {
            out += " " + yaml_inline(value) + "\n";
        }
    }
}

}  // namespace

std::string key_tables() {
    const auto values = write_keys(option_keys(), smallest_options());
    const std::string header = "| key | type | default | meaning |\n| --- | --- | --- | --- |\n";
    std::string out = "\n### The file\n\n" + header;
    append_rows(out, option_keys().infos, values, "");
    out += "\n### A route\n\n" + header;
    append_rows(out, route_keys().infos, values["routes"][0], "");
    out +=
        "\n### Keys of later versions\n\nThey may be given, with the one value that this version acts by.\n\n| key | only | "
        "meaning |\n| --- | --- | --- |\n";
    append_later_rows(out, option_keys().infos, "");
    return out + "\n";
}

std::string annotated_defaults() {
    std::string out =
        "# yaml-language-server: $schema=onceward.schema.json\n"
        "# Every key of this version with its default, but for the upstream and the route, which have none.\n"
        "# A file only needs what differs. README.md beside this file says more.\n\n";
    append_annotated(out, option_keys().infos, write_keys(option_keys(), smallest_options()), "");
    return out;
}

}  // namespace onceward::config
