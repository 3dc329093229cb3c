// Over https nobody is told anything who cannot prove who they are.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "testing/results.h"
#include "webhooks/post.h"

namespace lade::webhooks {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// A server on loopback whose certificate it has signed itself; takes one connection.
class Impostor {
 public:
  Impostor() {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* const name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1,
                               0);
    X509_set_issuer_name(certificate.get(), name);
    EXPECT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
    EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), certificate.get()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), key.get()), 1);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { take(); });
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  ~Impostor() { close(listener_); }

  std::string url() const { return "https://localhost:" + std::to_string(port_) + "/hook"; }
  // What was said to it, once the connection has ended.
  std::string heard() {
    thread_.join();
    return heard_;
  }

 private:
  void take() {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(context_.get()), SSL_free);
    SSL_set_fd(session.get(), connection);
    char bytes[1000];
    if (SSL_accept(session.get()) == 1)
      if (const int count = SSL_read(session.get(), bytes, sizeof bytes); count > 0)
        heard_.assign(bytes, static_cast<std::size_t>(count));
    close(connection);
  }

  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
  const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
  std::string heard_;
  std::jthread thread_;
};

TEST(Tls, AnUnknownCertificateIsRefusedBeforeAWordIsSaid) {
  Impostor impostor;
  const auto refused =
      post({.url = impostor.url(), .headers = {}, .body = "secret"}, {.timeout = 10s, .allow_private = true}, {});
  ASSERT_FAILS(refused, "delivery_failed");
  EXPECT_THAT(refused.error().message, HasSubstr("certificate"));
  EXPECT_EQ(impostor.heard(), "");
}

}  // namespace
}  // namespace lade::webhooks
