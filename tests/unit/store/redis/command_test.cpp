#include "store/redis/command.hpp"

#include "catch.hpp"
#include "record_builders.hpp"

namespace onceward::store::redis {

TEST_CASE("a command is an array of bulk strings, whatever bytes are in it") {
    std::string out;
    append_command(out, {"SET", "", "a\r\nb"});
    CHECK(out == "*3\r\n$3\r\nSET\r\n$0\r\n\r\n$4\r\na\r\nb\r\n");
}

TEST_CASE("numbers and bytes are written as text") {
    std::string out;
    const std::uint8_t bytes[] = {0x00, 0xab, 0xff};
    CommandWriter(out, 3).number(-9'223'372'036'854'775'807 - 1).number(0).hex(bytes);
    CHECK(out == "*3\r\n$20\r\n-9223372036854775808\r\n$1\r\n0\r\n$6\r\n00abff\r\n");
}

TEST_CASE("a script is named by its hash, or given in full") {
    const Script script{"return 1", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"};
    std::string out;
    begin_script(out, script, ScriptForm::by_hash, 1, 1).text("key").text("argument");
    CHECK(out ==
          "*5\r\n$7\r\nEVALSHA\r\n$40\r\ne0e1f9fabfc9d4800c877a703b823ac0578ff8db\r\n$1\r\n1\r\n$3\r\nkey\r\n$8\r\nargument\r\n");
    out.clear();
    begin_script(out, script, ScriptForm::in_full, 0, 0);
    CHECK(out == "*3\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n$1\r\n0\r\n");
}

TEST_CASE("the two keys of a record share their hash tag") {
    const Keyspace keys("onceward");
    RecordId id;
    id.bytes.fill(0x9f);
    std::string hex;
    for (int i = 0; i < 32; ++i) {
        hex += "9f";
    }
    std::string out;
    CommandWriter command(out, 2);
    keys.append_record_keys(command, "create-order", id);
    CHECK(out == "*2\r\n$88\r\nonceward:{create-order:" + hex + "}\r\n$93\r\nonceward:{create-order:" + hex + "}:body\r\n");
}

TEST_CASE("a channel tells its record") {
    const Keyspace keys("onceward");
    const auto id = test::record_id(77);
    RecordId read;
    REQUIRE(keys.parse_channel(keys.channel(id), read));
    CHECK(read == id);
    CHECK_FALSE(keys.parse_channel("other:changed:" + keys.channel(id).substr(17), read));
    CHECK_FALSE(keys.parse_channel("onceward:changed:12", read));
    CHECK_FALSE(keys.parse_channel("onceward", read));
}

}  // namespace onceward::store::redis
