#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace lade {

// SHA-256 of bytes given piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  // 64 hexadecimal digits, of all bytes so far. The object is used up.
  std::string finish();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;  // OpenSSL's EVP_MD_CTX
};

std::string sha256_of(std::string_view bytes);

}  // namespace lade
