#pragma once

#include "strict_http.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace onceward::fuzz {

/// What went over one connection of a client.
struct ClientTrace {
    std::string sent;      ///< what its socket took
    std::string received;  ///< all that the proxy's side wrote
    bool left = false;     ///< the client closed or reset it before the proxy did
    test::StreamEnd proxy_end = test::StreamEnd::open;
};

/// Bytes of the proxy that reached the service in one turn of the loop.
struct Arrival {
    std::size_t from = 0;  ///< offset in what was received
    std::uint64_t turn = 0;
};

/// What went over one connection to the service.
struct ServiceTrace {
    std::string received;
    std::string sent;
    test::StreamEnd end = test::StreamEnd::open;  ///< of the service's side
    bool paused = false;                          ///< it did not read at some time: heads may have stuck half-way
    std::vector<Arrival> arrivals;
};

struct Trace {
    std::vector<ClientTrace> clients;
    std::vector<ServiceTrace> services;  ///< in the order in which the proxy opened them
};

}  // namespace onceward::fuzz
