// Over https: who cannot prove who they are is not listened to, and nobody leads back to http.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "harvest/fetcher.h"
#include "harvest/politeness.h"
#include "testing/dns_server.h"
#include "testing/page_server.h"
#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade::harvest {
namespace {

using lade::testing::DnsServer;
using lade::testing::PageServer;
using lade::testing::TemporaryFolder;

template <auto Function>
struct Free {
  template <class T>
  void operator()(T* object) const {
    Function(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;

// For the host site.test, signed by itself.
Certificate certificate_of(EVP_PKEY* key) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("site.test"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> names(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:site.test"));
  EXPECT_EQ(X509_add_ext(certificate.get(), names.get(), -1), 1);
  EXPECT_GT(X509_sign(certificate.get(), key, EVP_sha256()), 0);
  return certificate;
}

// A server on loopback that speaks TLS and gives the same answer to everybody.
class SecureServer {
 public:
  explicit SecureServer(const std::string& certificate_file) {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate = certificate_of(key.get());
    EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), certificate.get()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), key.get()), 1);
    const std::unique_ptr<FILE, Free<fclose>> file(fopen(certificate_file.c_str(), "w"));
    EXPECT_EQ(PEM_write_X509(file.get(), certificate.get()), 1);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { run(); });
  }
  SecureServer(const SecureServer&) = delete;
  SecureServer& operator=(const SecureServer&) = delete;
  ~SecureServer() {
    shutdown(listener_, SHUT_RDWR);  // ends accept()
    thread_.join();
    close(listener_);
  }

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& host) const { return "https://" + host + ":" + std::to_string(port_) + "/page"; }
  std::string answer;  // set before the first request

 private:
  void run() {
    for (;;) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      const std::unique_ptr<SSL, Free<SSL_free>> session(SSL_new(context_.get()));
      SSL_set_fd(session.get(), connection);
      char bytes[4096];
      if (SSL_accept(session.get()) == 1 && SSL_read(session.get(), bytes, sizeof bytes) > 0) {
        SSL_write(session.get(), answer.data(), static_cast<int>(answer.size()));
        SSL_shutdown(session.get());
      }
      close(connection);
    }
  }

  std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>> context_{SSL_CTX_new(TLS_server_method())};
  const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

class Tls : public ::testing::Test {
 protected:
  FetchOutcome fetch(const std::string& host, const std::string& ca_file, FetchLimits limits = {}) {
    auto fetcher = Fetcher::open({.ca_file = ca_file,
                                  .guard = {.allow = {"site.test", "other.test"},
                                            .ports = {secure_.port(), static_cast<std::uint16_t>(plain_.port())}},
                                  .resolver = {.servers = names_.address()}},
                                 gate_);
    EXPECT_OK(fetcher);
    return (*fetcher)->fetch({.url = secure_.url(host), .respect_robots = false, .limits = limits, .body = &body_});
  }

  TemporaryFolder folder_;
  const std::string ca_file_ = (folder_.path() / "ca.pem").string();
  SecureServer secure_{ca_file_};
  PageServer plain_{
      [](const PageServer::Request&, const PageServer::Peer& peer) { peer.send(PageServer::page("plain")); }};
  DnsServer names_{[](const std::string&, int) { return std::vector<std::string>{"127.0.0.1"}; }};
  Politeness gate_{{.per_minute = 0, .burst = 1, .host_at_once = 9, .all_at_once = 9}};
  StringSink body_;
};

TEST_F(Tls, ATrustedCertificateForTheHostItself) {
  secure_.answer = PageServer::page("secret");
  const auto page = fetch("site.test", ca_file_);
  ASSERT_TRUE(page.has_value()) << page.error().error.message;
  EXPECT_EQ(body_.text, "secret");
}

TEST_F(Tls, NoOtherCertificate) {
  secure_.answer = PageServer::page("secret");
  for (const auto& [host, ca_file] : {std::pair{"site.test", std::string()}, std::pair{"other.test", ca_file_}}) {
    const auto refused = fetch(host, ca_file);
    ASSERT_FALSE(refused.has_value()) << host;
    EXPECT_EQ(refused.error().error.code, "scrape_failed");
    EXPECT_EQ(refused.error().reason, "certificate_invalid") << refused.error().error.message;
    EXPECT_TRUE(refused.error().is_final);
  }
  EXPECT_EQ(body_.text, "");
}

TEST_F(Tls, NoRedirectLeadsBackToHttp) {
  secure_.answer = PageServer::page("", "Location: " + plain_.url("/", "site.test") + "\r\n", 302);
  const auto refused = fetch("site.test", ca_file_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().error.code, "unreachable_url");
  EXPECT_EQ(refused.error().reason, "redirect_downgrade");
  EXPECT_EQ(plain_.connections(), 0);
  const auto allowed = fetch("site.test", ca_file_, {.allow_downgrade = true});
  ASSERT_TRUE(allowed.has_value()) << allowed.error().error.message;
  EXPECT_EQ(body_.text, "plain");
}

}  // namespace
}  // namespace lade::harvest
