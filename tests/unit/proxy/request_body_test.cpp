#include "proxy/request_body.hpp"

#include "catch.hpp"
#include "onceward/crypto/sha256.hpp"
#include "temporary_folder.hpp"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

using namespace onceward;
using proxy::RequestBody;

namespace {

/// $TMPDIR while it lives.
class TemporaryFiles {
public:
    explicit TemporaryFiles(const std::string& directory) { ::setenv("TMPDIR", directory.c_str(), 1); }
    ~TemporaryFiles() { ::unsetenv("TMPDIR"); }
    TemporaryFiles(const TemporaryFiles&) = delete;
    TemporaryFiles& operator=(const TemporaryFiles&) = delete;
};

/// As on a disk that is full: no file of this process grows beyond `bytes`.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) : before_(::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &limit_);
        auto lower = limit_;
        lower.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &lower);
    }
    ~FileLimit() {
        ::setrlimit(RLIMIT_FSIZE, &limit_);
        ::signal(SIGXFSZ, before_);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

private:
    rlimit limit_{};
    sighandler_t before_;
};

std::string content_of(std::size_t size) {
    std::string out(size, '\0');
    std::uint32_t state = 1;
    for (auto& c : out) {
        state = state * 1'664'525 + 1'013'904'223;
        c = static_cast<char>(state >> 24U);
    }
    return out;
}

void fill(RequestBody& body, std::string_view content, std::size_t step) {
    for (; !content.empty(); content.remove_prefix(std::min(step, content.size()))) {
        body.append(content.substr(0, step));
    }
    body.finish();
}

std::string in_pieces(RequestBody& body) {
    std::string out;
    while (out.size() < body.size()) {
        const auto piece = body.piece(out.size());
        REQUIRE(piece);
        REQUIRE_FALSE(piece->empty());
        out += *piece;
    }
    return out;
}

void check_content(RequestBody& body, const std::string& content) {
    CHECK(body.size() == content.size());
    CHECK(in_pieces(body) == content);
    std::string buffer;
    CHECK(body.whole(buffer) == content);
}

}  // namespace

TEST_CASE("content up to the threshold stays in memory, in one piece") {
    const TemporaryFiles nowhere("/nowhere");  // a file would be told of
    const auto content = content_of(100'000);
    RequestBody body;
    body.begin(100'000, GENERATE(std::optional<std::uint64_t>(), std::optional<std::uint64_t>(100'000)));
    fill(body, content, GENERATE(1'000U, 100'000U));
    CHECK_FALSE(body.digest());
    CHECK(body.piece(0) == content);
    CHECK(body.piece(100'000) == "");
    check_content(body, content);
}

TEST_CASE("content beyond the threshold is in a file, with its digest, and comes out in pieces") {
    const test::TemporaryFolder folder;
    const TemporaryFiles files(folder.path().string());
    const auto size = GENERATE(1'001U, 65'536U, 65'537U, 1'000'000U);
    const auto content = content_of(size);
    RequestBody body;
    body.begin(1'000, GENERATE(0U, 1U) == 0 ? std::nullopt : std::optional<std::uint64_t>(size));
    fill(body, content, GENERATE(999U, 65'536U, 300'000U));
    REQUIRE(body.digest());
    CHECK(*body.digest() == crypto::sha256(content));
    CHECK(body.piece(0)->size() <= 64 * 1024);
    check_content(body, content);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("content that is given to another is all there, and the first is empty") {
    const test::TemporaryFolder folder;
    const TemporaryFiles files(folder.path().string());
    const auto content = content_of(GENERATE(10U, 200'000U));
    RequestBody session;
    session.begin(1'000, std::nullopt);
    fill(session, content, 4'096);
    RequestBody execution;
    execution.swap(session);
    session.clear();
    CHECK(session.empty());
    check_content(execution, content);
    session.begin(1'000, std::nullopt);
    fill(session, "next", 4);
    check_content(session, "next");
    check_content(execution, content);
}

TEST_CASE("without a place for a file content stays in memory") {
    const TemporaryFiles nowhere("/nowhere");
    const auto content = content_of(300'000);
    RequestBody body;
    body.begin(1'000, GENERATE(std::optional<std::uint64_t>(), std::optional<std::uint64_t>(300'000)));
    fill(body, content, 7'000);
    CHECK_FALSE(body.digest());
    check_content(body, content);
}

TEST_CASE("when the disk is full on the way content goes on in memory, and nothing of it is lost") {
    const test::TemporaryFolder folder;
    const TemporaryFiles files(folder.path().string());
    const auto content = content_of(300'000);
    RequestBody body;
    {
        const FileLimit full(GENERATE(0U, 100'000U, 131'072U, 299'999U));
        body.begin(1'000, std::nullopt);
        fill(body, content, GENERATE(1'000U, 65'536U));
    }
    CHECK_FALSE(body.digest());
    check_content(body, content);
}
