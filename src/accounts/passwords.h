#pragma once

#include <cstddef>
#include <semaphore>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::accounts {

// What one Argon2id hash costs; the defaults are libsodium's INTERACTIVE. Only tests have a reason to change it.
struct PasswordCost {
  unsigned long long passes = 2;
  std::size_t memory_bytes = 64 * 1024 * 1024;
};

// Makes and checks hashes of passwords. One for a process, used by all its threads: at most two hash at once, the
// others wait, so logins cost a bounded amount of memory. Each call takes some tenths of a second on purpose: not on a
// thread that serves others.
class PasswordHasher {
 public:
  explicit PasswordHasher(const PasswordCost& cost = {});

  // Fails with password_weak: at least 12 characters, at most 1024 bytes.
  Result<std::string> hash(std::string_view password);
  // Without a hash (no such user, or one without a password) it is false, after the same time.
  bool matches(std::string_view hash, std::string_view password);

 private:
  std::string hash_any(std::string_view password);

  const PasswordCost cost_;
  std::counting_semaphore<2> places_{2};
};

}  // namespace lade::accounts
