#include "config/keys.hpp"
#include "onceward/config/load.hpp"

namespace onceward::config {

std::string json_schema() {
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Onceward configuration"}};
    schema.update(section_schema(option_keys().infos, write_keys(option_keys(), Options{})));
    schema["$defs"] = {
        {"substituted", {{"type", "string"}, {"pattern", "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}"}}},
        {"duration", or_substituted({{"type", "string"}, {"pattern", "^[0-9]+(ms|s|m|h|d)$"}})},
        {"size", or_substituted({{"type", "string"}, {"pattern", "^[0-9]+(B|KiB|MiB|GiB|TiB)$"}})},
    };
    return schema.dump(2) + "\n";
}

}  // namespace onceward::config
