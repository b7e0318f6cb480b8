// Client bytes and the service's bytes through the real session, pool and guard: what comes out on either side is what a second,
// strict reading of HTTP/1.1 (tests/support/strict_http.hpp) finds in what went in.

#include "session/oracle.hpp"
#include "session/script.hpp"
#include "session/stage.hpp"

using namespace onceward;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static fuzz::Theatre theatre;
    fuzz::Stage stage(theatre);
    fuzz::show_when_unexpected(stage.trace());
    for (const auto& step : fuzz::read_script({reinterpret_cast<const char*>(data), size})) {
        stage.play(step);
    }
    stage.finish();
    const auto [coroutines, executions, connections, requests, hanging] = stage.left_over();
    fuzz::expect(hanging == 0, "every connection ends by a limit");
    fuzz::expect(connections == 0 && requests == 0, "sessions end");
    fuzz::expect(executions == 0, "executions end");
    fuzz::expect(coroutines == 0, "coroutines end");
    const auto exchanges = fuzz::read_exchanges(stage.trace());
    const auto asked = fuzz::check_clients(stage.trace(), exchanges);
    fuzz::check_forwarded(asked, exchanges);
    fuzz::check_guarded(exchanges);
    return 0;
}
