#include "proxy/spawn.hpp"

#include "net/spawn.hpp"
#include "onceward/telemetry/log.hpp"
#include "proxy/loop.hpp"

namespace onceward::proxy {

void spawn(Loop& loop, Task<> task) {
    ++loop.coroutine_count;
    net::spawn(loop.io, std::move(task), [&loop](const std::exception_ptr& escaped) {
        --loop.coroutine_count;
        if (!escaped) {
            return;
        }
        try {
            std::rethrow_exception(escaped);
        } catch (const std::exception& failure) {
            telemetry::error("a request ended by an internal error", {{"what", std::string_view(failure.what())}});
        }
    });
}

}  // namespace onceward::proxy
