#include "cli/commands.hpp"

#include "cli/operation_id.hpp"
#include "cli/output.hpp"
#include "cli/probe.hpp"
#include "cli/records.hpp"
#include "cli/version.hpp"
#include "onceward/app/run.hpp"
#include "onceward/config/load.hpp"

#include <csignal>
#include <iostream>
#include <utility>

namespace onceward::cli {

namespace {

/// The file, with everything that is wrong or doubtful told on standard error.
config::Loaded load(const std::string& file) {
    auto loaded = config::load_file(file);
    for (const auto& error : loaded.errors) {
        std::cerr << "error: " << to_text(error) << "\n";
    }
    for (const auto& warning : loaded.warnings) {
        std::cerr << "warning: " << to_text(warning) << "\n";
    }
    return loaded;
}

}  // namespace

int execute(const Invocation& invocation) {
    switch (invocation.command) {
        case Command::schema:
            return print(config::json_schema());
        case Command::version:
            return print(version_text());
        case Command::list_records:
        case Command::show_record:
        case Command::release_record:
        case Command::resolve_record:
            return execute_records(invocation);
        case Command::healthcheck:
            return execute_healthcheck(invocation);
        case Command::wait:
            return execute_wait(invocation);
        case Command::decode_id:
            return print(operation_id_text(invocation.operation_id, invocation.output));
        case Command::completion:
            return print(completion_script(invocation.shell));
        case Command::run:
        case Command::check:
        case Command::config:
            break;
    }
    if (invocation.command == Command::run) {
        // Until somebody listens to it: it asks for the configuration to be read, and that comes now.
        std::signal(SIGHUP, SIG_IGN);
    }
    auto loaded = load(invocation.file);
    if (!loaded.ok()) {
        return bad_usage;
    }
    if (invocation.command == Command::run) {
        return app::run(invocation.file, std::move(loaded));
    }
    return print(invocation.command == Command::config ? config::effective_yaml(loaded.options) : invocation.file + ": OK\n");
}

}  // namespace onceward::cli
