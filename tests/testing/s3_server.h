#pragma once

#include <sys/types.h>

#include <string>

namespace lade::testing {

// A storage that speaks S3 behind a proxy that can make it fail: tests/testing/s3_server.py. It is s3rver, or the
// storage at LADE_TEST_S3, whose bucket lade-test belongs to the keys LADE_TEST_S3_ACCESS and LADE_TEST_S3_SECRET. Ends
// with the program.
class S3Server {
 public:
  static S3Server& shared();
  S3Server(const S3Server&) = delete;
  S3Server& operator=(const S3Server&) = delete;
  ~S3Server();

  // Whether it verifies signatures, and knows uploads that were not finished; s3rver does not.
  static bool is_foreign();
  const std::string& endpoint() const { return endpoint_; }
  std::string access() const;
  std::string secret() const;

  // What happens to calls from now on, as s3_server.py has it: fail("busy", 0.2).
  void fail(const std::string& kind, double rate = 1, const std::string& path = "");
  // What happened since the last command: its line of JSON.
  std::string seen();

 private:
  S3Server();
  std::string ask(const std::string& command);

  pid_t process_ = 0;
  int to_ = -1, from_ = -1;
  std::string endpoint_;
};

}  // namespace lade::testing
