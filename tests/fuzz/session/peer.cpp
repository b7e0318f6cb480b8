#include "peer.hpp"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace onceward::fuzz {

void Descriptor::close() {
    if (is_open()) {
        ::close(release());
    }
}

std::size_t Peer::send(std::string_view bytes) {
    if (!is_open() || ended_) {
        return 0;
    }
    const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

void Peer::end_sending() {
    if (is_open()) {
        ::shutdown(socket_.get(), SHUT_WR);
        ended_ = true;
    }
}

bool Peer::read(std::string& into) {
    if (!reading_) {
        return peek(into);
    }
    bool any = false;
    std::array<char, 16 * 1024> piece;
    while (is_open() && !other_ended_) {
        const auto got = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (got > 0) {
            const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
            const auto known = std::min(peeked_, bytes.size());
            peeked_ -= known;
            into.append(bytes.substr(known));
        } else if (got == 0 || errno != EAGAIN) {
            other_ended_ = true;
        } else {
            break;
        }
        any = true;
    }
    return any;
}

bool Peer::peek(std::string& into) {
    int there = 0;
    if (!is_open() || ::ioctl(socket_.get(), FIONREAD, &there) != 0 || static_cast<std::size_t>(there) <= peeked_) {
        return false;
    }
    std::string all(static_cast<std::size_t>(there), '\0');
    if (::recv(socket_.get(), all.data(), all.size(), MSG_DONTWAIT | MSG_PEEK) != there) {
        return false;
    }
    into.append(all, peeked_);
    peeked_ = all.size();
    return true;
}

test::StreamEnd Peer::close(std::string& into) {
    read(into);
    socket_.close();
    return peeked_ > 0 ? test::StreamEnd::reset : test::StreamEnd::closed;
}

}  // namespace onceward::fuzz
