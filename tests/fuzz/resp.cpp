#include "store/redis/connection_machine.hpp"
#include "store/redis/record_codec.hpp"

#include <algorithm>
#include <cstdint>

using namespace onceward;
using namespace onceward::store::redis;

namespace {

struct Listener final : PendingCommand {
    void write(std::string& /*out*/) override {}
    void on_reply(const Reply& reply) override {
        read_claim(reply, guard::ClaimRequest{});
        read_command(reply);
        read_worker_lease(reply);
        read_clock(reply);
    }
    void on_failure(store::StoreErrc /*errc*/) override {}
    void end() override {}
    void abandon() override {}
};

}  // namespace

/// The first byte says where the rest is cut in two.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const auto input = all.substr(std::min<std::size_t>(size, 1));
    const auto cut = input.empty() ? 0 : static_cast<unsigned char>(all[0]) % input.size();
    Listener listeners[4];
    ConnectionMachine machine;
    machine.on_open({&listeners[0], &listeners[1], &listeners[2], &listeners[3]});
    machine.on_bytes(input.substr(0, cut));
    machine.on_bytes(input.substr(cut));
    machine.on_closed(Deadline::max());
    while (machine.take_any() != nullptr) {
    }
    return 0;
}
