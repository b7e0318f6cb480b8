// Mutation that keeps a script's steps: most changes are to one step's bytes, the rest moves whole steps about.

#include "session/script.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using onceward::fuzz::Step;

// What HTTP is made of, and where implementations have gone apart.
constexpr std::array<std::string_view, 44> pieces{
    "GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
    "HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n",
    "POST /orders HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k1\r\nContent-Length: 2\r\n\r\nab",
    "POST /notes/1 HTTP/1.1\r\nHost: h\r\nIdempotency-Key: \"k1\"\r\nTransfer-Encoding: chunked\r\n\r\n",
    "PUT /notes/1 HTTP/1.1\r\nHost: h\r\n",
    "OPTIONS * HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
    "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 504 Lost\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "HTTP/1.0 200 OK\r\n\r\n",
    "Host: h\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 05\r\n",
    "Content-Length: 5, 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding:\x0b"
    "chunked\r\n",
    "Expect: 100-continue\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive, TE, X-A, Idempotency-Key\r\n",
    "Connection: Upgrade\r\nUpgrade: websocket\r\n",
    "TE: trailers\r\n",
    "X-A: 1\r\n",
    "Idempotency-Key: k1\r\n",
    "Idempotency_Fence: 9\r\n",
    "Idempotency-Outcome: not-executed\r\n",
    "Idempotency-Status: executed\r\n",
    "X-HTTP-Method-Override: POST\r\n",
    "Max-Forwards: 0\r\n",
    "0\r\n\r\n",
    "0\r\nX-A: 1\r\n\r\n",
    "5\r\nhello\r\n",
    "5;a=\"\r\n",
    "\r\n",
    "\r\n ",
    "/%6frders",
    "http://other/orders",
};

class Mutator {
public:
    Mutator(std::vector<Step> steps, unsigned seed) : steps_(std::move(steps)), random_(seed) {}

    /// Views into what it owns and into the pieces.
    const std::vector<Step>& mutate() {
        switch (steps_.empty() ? 0 : below(12)) {
            case 0:
                insert({any_letter(), any_piece()});
                break;
            case 1:
                steps_.erase(steps_.begin() + any_step());
                break;
            case 2:
                insert(steps_[static_cast<std::size_t>(any_step())]);
                break;
            case 3:
                std::swap(some(), some());
                break;
            case 4:
                some().letter = any_letter();
                break;
            case 5:
                part(any_step());
                break;
            case 6:
            case 7:
            case 8:
                splice(some());
                break;
            default:
                change(some());
        }
        return steps_;
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    std::ptrdiff_t any_step() { return static_cast<std::ptrdiff_t>(below(steps_.size())); }
    Step& some() { return steps_[below(steps_.size())]; }
    char any_letter() { return onceward::fuzz::step_letters[below(onceward::fuzz::step_letters.size())]; }
    std::string_view any_piece() { return pieces[below(pieces.size())]; }
    void insert(Step step) { steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(below(steps_.size() + 1)), step); }

    /// One peer sends in two goes.
    void part(std::ptrdiff_t at) {
        Step& step = steps_[static_cast<std::size_t>(at)];
        const Step rest{step.letter, step.text.substr(below(step.text.size() + 1))};
        step.text.remove_suffix(rest.text.size());
        steps_.insert(steps_.begin() + at + 1, rest);
    }

    /// A piece in the place of some of the text, mostly where a line begins.
    void splice(Step& step) {
        auto at = below(step.text.size() + 1);
        if (below(4) != 0) {
            const auto line = step.text.find('\n', at);
            at = line == std::string_view::npos ? at : line + 1;
        }
        const auto dropped = below(3) == 0 ? below(step.text.size() - at + 1) : 0;
        own_ = std::string(step.text.substr(0, at)).append(any_piece()).append(step.text.substr(at + dropped));
        step.text = own_;
    }

    void change(Step& step) {
        own_.assign(step.text);
        const auto size = own_.size();
        own_.resize(size + 64);
        own_.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(own_.data()), size, own_.size()));
        step.text = own_;
    }

    std::vector<Step> steps_;
    std::minstd_rand random_;
    std::string own_;
};

}  // namespace

namespace {

std::size_t put(const std::vector<Step>& steps, std::uint8_t* out, std::size_t max_size) {
    const auto text = onceward::fuzz::write_script(steps);
    const auto kept = std::min(text.size(), max_size);
    std::memcpy(out, text.data(), kept);
    return kept;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    const std::string input(reinterpret_cast<const char*>(data), size);
    Mutator mutator(onceward::fuzz::read_script(input), seed);
    return put(mutator.mutate(), data, max_size);
}

/// The beginning of one script with the end of another.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size, const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out, std::size_t max_size,
                                                 unsigned seed) {
    auto steps = onceward::fuzz::read_script({reinterpret_cast<const char*>(first), first_size});
    const auto others = onceward::fuzz::read_script({reinterpret_cast<const char*>(second), second_size});
    std::minstd_rand random(seed);
    steps.resize(random() % (steps.size() + 1));
    steps.insert(steps.end(), others.begin() + static_cast<std::ptrdiff_t>(random() % (others.size() + 1)), others.end());
    return put(steps, out, max_size);
}
