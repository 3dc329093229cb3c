// The same over TLS, with certificates made for the test.
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <fstream>

#include "testing/http_server.h"
#include "testing/temporary_folder.h"

namespace lade::http {
namespace {

using testing::HttpClient;
using namespace std::chrono_literals;

// Writes a key and a certificate that it has signed itself.
Tls make_certificate(const std::filesystem::path& folder, const std::string& name) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  EXPECT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  const Tls files{(folder / (name + ".pem")).string(), (folder / (name + ".key")).string()};
  const auto write = [](const std::string& path, const auto& put) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    EXPECT_EQ(put(file), 1);
    std::fclose(file);
  };
  write(files.certificate_file, [&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
  write(files.key_file,
        [&](std::FILE* file) { return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  return files;
}

// What a client and a server say to each other.
class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, int highest_version = 0) : socket_(port) {
    SSL_CTX_set_max_proto_version(context_.get(), highest_version);
    SSL_CTX_set_security_level(context_.get(), 0);
    session_.reset(SSL_new(context_.get()));
    SSL_set_fd(session_.get(), socket_.descriptor());
    connected_ = SSL_connect(session_.get()) == 1;
  }
  bool connected() const { return connected_; }
  bool send(std::string_view text) {
    return SSL_write(session_.get(), text.data(), static_cast<int>(text.size())) == static_cast<int>(text.size());
  }
  std::string rest() {
    std::string text;
    char bytes[4096];
    for (int count = 0; (count = SSL_read(session_.get(), bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<std::size_t>(count));
    ended_properly_ = SSL_get_error(session_.get(), 0) == SSL_ERROR_ZERO_RETURN;
    return text;
  }
  bool ended_properly() const { return ended_properly_; }

 private:
  HttpClient socket_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<SSL, decltype(&SSL_free)> session_{nullptr, SSL_free};
  bool connected_ = false;
  bool ended_properly_ = false;
};

class TlsTest : public testing::HttpServerTest {
 protected:
  void start_tls(Limits limits = {}) { start({.tls = make_certificate(folder.path(), "one"), .limits = limits}); }
  testing::TemporaryFolder folder;
};

TEST_F(TlsTest, RequestsAndAnswers) {
  on_request = [](Request& request) -> Reception {
    EXPECT_TRUE(request.secure);
    return WholeBody{10'000'000, [](std::string body) { return Response{.body = std::move(body)}; }};
  };
  start_tls();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient one(server->port(), version);
    ASSERT_TRUE(one.connected());
    const std::string body(1'000'000, 'x');
    EXPECT_TRUE(one.send(post("/", "first") + post("/", body, "Connection: close\r\n")));
    const std::string answers = one.rest();
    EXPECT_NE(answers.find("\r\n\r\nfirstHTTP/1.1 200"), std::string::npos);
    EXPECT_TRUE(answers.ends_with("\r\n\r\n" + body));
    EXPECT_TRUE(one.ended_properly()) << "an end that nobody could have forged";
  }
}

TEST_F(TlsTest, OldVersionsAreRefused) {
  start_tls();
  EXPECT_FALSE(TlsClient(server->port(), TLS1_1_VERSION).connected());
  EXPECT_TRUE(TlsClient(server->port()).connected());
}

TEST_F(TlsTest, AHandshakeThatDoesNotComeIsNotWaitedFor) {
  start_tls({.header_time = 20ms});
  HttpClient silent = client();
  EXPECT_TRUE(silent.at_end());
}

TEST_F(TlsTest, PlainTextIsNoHandshake) {
  start_tls();
  HttpClient plain = client();
  EXPECT_TRUE(plain.send(get("/")));
  EXPECT_EQ(plain.answer().status, 0);
  EXPECT_TRUE(TlsClient(server->port()).connected()) << "others are served";
}

TEST_F(TlsTest, EventsAndTheEnd) {
  const auto channel = std::make_shared<EventChannel>();
  on_request = [&](Request&) { return Response{.body = channel}; };
  start_tls();
  TlsClient one(server->port());
  EXPECT_TRUE(one.send(get("/events")));
  EXPECT_TRUE(channel->push("data: first\n\n"));
  channel->close();
  EXPECT_TRUE(one.rest().ends_with("\r\n\r\ndata: first\n\n"));
  EXPECT_TRUE(one.ended_properly());
}

TEST_F(TlsTest, WrongFilesAreNamed) {
  const Tls one = make_certificate(folder.path(), "one"), two = make_certificate(folder.path(), "two");
  const std::string text = (folder.path() / "text").string(), missing = (folder.path() / "missing").string();
  std::ofstream(text) << "no certificate";
  const auto expect_refused = [&](const Tls& tls, const std::string& file) {
    const auto refused = Server::start({.port = 0, .tls = tls}, *this);
    ASSERT_FAILS(refused, "tls_invalid");
    EXPECT_TRUE(refused.error().message.starts_with(file + ": ")) << refused.error().message;
  };
  expect_refused({missing, one.key_file}, missing);
  expect_refused({text, one.key_file}, text);
  expect_refused({one.certificate_file, missing}, missing);
  expect_refused({one.certificate_file, one.certificate_file}, one.certificate_file);
  expect_refused({one.certificate_file, two.key_file}, two.key_file);
}

}  // namespace
}  // namespace lade::http
