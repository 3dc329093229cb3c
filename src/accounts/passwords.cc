#include "accounts/passwords.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>

#include "base/assert.h"

namespace lade::accounts {
namespace {

constexpr std::ptrdiff_t kFewestCharacters = 12;
constexpr std::size_t kMostBytes = 1024;

// Code points of UTF-8.
std::ptrdiff_t characters_of(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

// One of the places in which hashes are made, for as long as this object lives.
class Place {
 public:
  explicit Place(std::counting_semaphore<2>& places) : places_(places) { places_.acquire(); }
  ~Place() { places_.release(); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::counting_semaphore<2>& places_;
};

}  // namespace

PasswordHasher::PasswordHasher(const PasswordCost& cost) : cost_(cost) {
  LADE_ASSERT(sodium_init() >= 0);
}

Result<std::string> PasswordHasher::hash(std::string_view password) {
  if (characters_of(password) < kFewestCharacters || password.size() > kMostBytes)
    return fail("password_weak", "the password is too short or too long",
                fmt::format("at least {} characters, at most {} bytes", kFewestCharacters, kMostBytes),
                ErrorKind::usage);
  std::string hash = hash_any(password);
  if (hash.empty())
    return fail("password_memory",
                fmt::format("{} bytes of memory to hash a password were not to be had", cost_.memory_bytes),
                "try again when the machine has more free memory");
  return hash;
}

// Empty when there was not enough memory.
std::string PasswordHasher::hash_any(std::string_view password) {
  const Place place(places_);
  char hash[crypto_pwhash_STRBYTES];
  if (crypto_pwhash_str(hash, password.data(), password.size(), cost_.passes, cost_.memory_bytes) != 0) return {};
  return hash;
}

bool PasswordHasher::matches(std::string_view hash, std::string_view password) {
  if (hash.empty() || password.size() > kMostBytes) {
    hash_any(password.substr(0, kMostBytes));
    return false;
  }
  const Place place(places_);
  return crypto_pwhash_str_verify(std::string(hash).c_str(), password.data(), password.size()) == 0;
}

}  // namespace lade::accounts
