#pragma once

#include "net/deadline.hpp"
#include "net/stream.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace onceward::test {

/// Two ends of one connection on one loop.
struct StreamPair {
    boost::asio::io_context loop;
    net::Deadlines deadlines{loop};
    std::unique_ptr<net::Stream> near;
    std::unique_ptr<net::Stream> far;

    StreamPair() {
        using Local = boost::asio::basic_stream_socket<boost::asio::local::stream_protocol, net::Executor>;
        Local a(loop.get_executor());
        Local b(loop.get_executor());
        boost::asio::local::connect_pair(a, b);
        near = std::make_unique<net::Stream>(net::Socket(std::move(a)), deadlines);
        far = std::make_unique<net::Stream>(net::Socket(std::move(b)), deadlines);
    }
    void run() {
        loop.restart();
        loop.run_for(seconds{10});
    }
};

inline Task<> send_all(net::Stream& stream, const std::string& bytes, net::Stream::Written& result) {
    result = co_await stream.write(std::string_view(bytes));
    co_await stream.shutdown_send();
}

inline Task<> receive_all(net::Stream& stream, std::string& out, boost::system::error_code& end) {
    for (;;) {
        end = co_await stream.fill(1000);
        out.append(stream.buffered());
        stream.consume(stream.buffered().size());
        if (end) {
            co_return;
        }
    }
}

inline Task<> fill_once(net::Stream& stream, boost::system::error_code& ec) {
    ec = co_await stream.fill();
}

}  // namespace onceward::test
