#include "onceward/base/assert.hpp"
#include "onceward/config/load.hpp"
#include "onceward/telemetry/log.hpp"
#include "stage.hpp"
#include "temporary_folder.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdio>
#include <cstring>

namespace onceward::fuzz {

namespace {

// `/orders` must have a key, `/notes` may; everything else passes. Limits are small, so that a script reaches them.
constexpr std::string_view configuration = R"(
listen: 127.0.0.1:1
health: off
admin: off
upstream: {url: "unix:SOCKET", max_connections: 3}
store: {url: "memory:"}
limits: {header_bytes: 2KiB, header_count: 20, request_target: 256B}
log: {access: false}
routes:
  - {name: orders, path: /orders, methods: [POST], max_request_body: 3000B, max_recorded_body: 300B, spool_threshold: 600B}
  - {name: notes, path: "/notes/{id}", methods: [POST, PUT], key: {required: false}, wait: 2s, max_request_body: 400B}
)";

Descriptor listen_on(const std::string& path) {
    Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ONCEWARD_ASSERT(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    ONCEWARD_ASSERT(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ONCEWARD_ASSERT(::listen(listener.get(), 64) == 0);
    return listener;
}

}  // namespace

Theatre::Theatre() {
    static const test::TemporaryFolder folder;
    telemetry::set_level(config::LogLevel::error);
    std::string text(configuration);
    const auto socket = folder.file("service");
    text.replace(text.find("SOCKET"), 6, socket);
    auto loaded = config::load_text(text, folder.file("onceward.yaml"));
    for (const auto& error : loaded.errors) {
        std::fprintf(stderr, "%s\n", config::to_text(error).c_str());
    }
    ONCEWARD_ASSERT(loaded.ok());
    plan_ = std::make_shared<const proxy::Plan>(std::move(loaded.options));
    listener_ = listen_on(socket);
}

Descriptor Theatre::accept() const {
    return Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

}  // namespace onceward::fuzz
