// Requests that two servers could read in two ways, and others that are no HTTP.
#include "testing/http_server.h"

namespace lade::http {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using namespace std::chrono_literals;

struct Form {
  std::string name;
  std::string text;
};

class SmugglingTest : public testing::HttpServerTest, public ::testing::WithParamInterface<Form> {};

// Each is followed by what would be a second request for whoever reads the first one otherwise.
TEST_P(SmugglingTest, IsRefusedAndTheConnectionClosed) {
  int requests = 0;
  on_request = [&](Request& request) {
    ++requests;
    return repeat_body(request);
  };
  start({.handler_threads = 1});
  HttpClient one = client();
  EXPECT_TRUE(one.send(GetParam().text + "GET /smuggled HTTP/1.1\r\nHost: t\r\n\r\n"));
  const HttpAnswer answer = one.answer();
  ASSERT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "request_invalid");
  EXPECT_EQ(answer.fields.at("connection"), "close");
  EXPECT_TRUE(one.at_end());
  server.reset();
  const bool is_about_the_body = GetParam().name.starts_with("Chunk");
  EXPECT_EQ(requests, is_about_the_body ? 1 : 0);
}

std::string with(const std::string& fields, const std::string& body = "") {
  return "POST / HTTP/1.1\r\nHost: t\r\n" + fields + "\r\n" + body;
}
std::string chunked(const std::string& body) {
  return with("Transfer-Encoding: chunked\r\n", body);
}

const Form kForms[] = {
    {"LengthAndChunks", with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
    {"LengthAfterChunks", with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")},
    {"TwoLengths", with("Content-Length: 5\r\nContent-Length: 6\r\n", "12345")},
    {"TwoEqualLengths", with("Content-Length: 5\r\nContent-Length: 5\r\n", "12345")},
    {"ListOfLengths", with("Content-Length: 5, 5\r\n", "12345")},
    {"SignedLength", with("Content-Length: +5\r\n", "12345")},
    {"NegativeLength", with("Content-Length: -5\r\n", "12345")},
    {"HexadecimalLength", with("Content-Length: 0x5\r\n", "12345")},
    {"LengthWithText", with("Content-Length: 5 bytes\r\n", "12345")},
    {"EmptyLength", with("Content-Length:\r\n")},
    {"HugeLength", with("Content-Length: 18446744073709551617\r\n", "1")},
    {"UnknownCoding", with("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")},
    {"IdentityCoding", with("Transfer-Encoding: identity\r\n")},
    {"SeveralCodings", with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
    {"SameCodingTwice", with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
    {"CodingInAList", with("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n")},
    {"CodingWithControl", with("Transfer-Encoding: \x0B"
                               "chunked\r\n",
                               "0\r\n\r\n")},
    {"OldVersionWithChunks", "POST / HTTP/1.0\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    {"SpaceBeforeColon", with("Content-Length : 5\r\n", "12345")},
    {"TabBeforeColon", with("Transfer-Encoding\t: chunked\r\n", "0\r\n\r\n")},
    {"FoldedLine", with("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n")},
    {"FoldedFirstLine", "GET / HTTP/1.1\r\n Host: t\r\nHost: t\r\n\r\n"},
    {"BareLineFeed", "GET / HTTP/1.1\r\nHost: t\nX: y\r\n\r\n"},
    {"BareCarriageReturn", "GET / HTTP/1.1\r\nHost: t\rX: y\r\n\r\n"},
    {"LineFeedsOnly", "GET / HTTP/1.1\nHost: t\n\n"},
    {"NulInField", with(std::string("X: a\0b\r\n", 8))},
    {"NulInTarget", std::string("GET /a\0b HTTP/1.1\r\nHost: t\r\n\r\n", 30)},
    {"EscapeInField", with("X: \x1B[31m\r\n")},
    {"NoColon", with("Content-Length 5\r\n")},
    {"NoName", with(": 5\r\n")},
    {"ParenthesisInName", with("X(y): 5\r\n")},
    {"NoHost", "GET / HTTP/1.1\r\n\r\n"},
    {"TwoHosts", "GET / HTTP/1.1\r\nHost: t\r\nHost: t\r\n\r\n"},
    {"EmptyHost", "GET / HTTP/1.1\r\nHost: \r\n\r\n"},
    {"HostWithPath", "GET / HTTP/1.1\r\nHost: t/x\r\n\r\n"},
    {"HostWithUser", "GET / HTTP/1.1\r\nHost: a@t\r\n\r\n"},
    {"ListOfHosts", "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"},
    {"AbsoluteTarget", "GET http://other/ HTTP/1.1\r\nHost: t\r\n\r\n"},
    {"AuthorityTarget", "CONNECT other:443 HTTP/1.1\r\nHost: t\r\n\r\n"},
    {"AsteriskTarget", "GET * HTTP/1.1\r\nHost: t\r\n\r\n"},
    {"FragmentInTarget", "GET /a#b HTTP/1.1\r\nHost: t\r\n\r\n"},
    {"TargetNotEscaped", "GET /na\xC3\xAFve HTTP/1.1\r\nHost: t\r\n\r\n"},
    {"SpaceInTarget", "GET /a b HTTP/1.1\r\nHost: t\r\n\r\n"},
    {"TwoSpaces", "GET  / HTTP/1.1\r\nHost: t\r\n\r\n"},
    {"NoVersion", "GET /\r\nHost: t\r\n\r\n"},
    {"LaterVersion", "GET / HTTP/2.0\r\nHost: t\r\n\r\n"},
    {"ServersAnswer", "HTTP/1.1 200 OK\r\nHost: t\r\n\r\n"},
    {"MethodWithBrackets", "GE(T / HTTP/1.1\r\nHost: t\r\n\r\n"},
    {"TlsInsteadOfText", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03", 11)},
    {"ChunkSizeIsNoNumber", chunked("g\r\nx\r\n0\r\n\r\n")},
    {"ChunkSizeHasSign", chunked("+1\r\nx\r\n0\r\n\r\n")},
    {"ChunkSizeHasPrefix", chunked("0x1\r\nx\r\n0\r\n\r\n")},
    {"ChunkSizeIsEmpty", chunked("\r\nx\r\n0\r\n\r\n")},
    {"ChunkSizeIsHuge", chunked("10000000000000000\r\nx\r\n0\r\n\r\n")},
    {"ChunkSizeEndsWithLineFeed", chunked("1\nx\r\n0\r\n\r\n")},
    {"ChunkIsLongerThanItsSize", chunked("1\r\nxy\r\n0\r\n\r\n")},
    {"ChunkEndsWithLineFeed", chunked("1\r\nx\n0\r\n\r\n")},
    {"ChunkExtensionIsNone", chunked("1;;\r\nx\r\n0\r\n\r\n")},
    {"ChunkExtensionIsEndless", chunked("1;" + std::string(100'000, 'x'))},
    {"ChunkTrailerIsNoField", chunked("1\r\nx\r\n0\r\nno field\r\n\r\n")},
};

INSTANTIATE_TEST_SUITE_P(Forms, SmugglingTest, ::testing::ValuesIn(kForms),
                         [](const auto& form) { return form.param.name; });

class StrictnessTest : public testing::HttpServerTest {};

TEST_F(StrictnessTest, WhatIsValidIsTaken) {
  on_request = [](Request& request) { return text(request.path); };
  start();
  for (const std::string request :
       {"GET / HTTP/1.1\r\nhost:t\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n", "get / HTTP/1.1\r\nHost: t\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: t\r\nX:\r\nX: \xC3\xA9\r\n\r\n", "GET /?a=%00&b=[]{}|^ HTTP/1.1\r\nHost: t\r\n\r\n"})
    EXPECT_EQ(ask(request).status, 200) << request;
}

}  // namespace
}  // namespace lade::http
