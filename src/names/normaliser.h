#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace lade::names {

// A spelling of the field that means another one: "th" is written for "t", "ou" for "u". Applied to what is normalised
// otherwise: small letters without accents.
struct Rewrite {
  std::string from, to;
};

// Texts that people write in many ways → one spelling: other scripts in Latin letters, without accents, in small
// letters, words parted by one space, nothing else but letters and digits. Owned by one thread.
class Normaliser {
 public:
  // Rules are applied in their order, each once over the whole text. Fails with rewrite_invalid.
  static Result<Normaliser> create(std::vector<Rewrite> rules = {});
  Normaliser(Normaliser&&) noexcept;
  ~Normaliser();

  // At most 200 characters of the text count.
  std::string operator()(std::string_view text);
  // Without the rules.
  std::string plain(std::string_view text);

 private:
  struct Icu;
  explicit Normaliser(std::vector<Rewrite> rules, std::unique_ptr<Icu> icu);
  std::string to_latin(std::string_view text);

  std::vector<Rewrite> rules_;
  std::unique_ptr<Icu> icu_;
  std::unordered_map<std::string, std::string> known_;  // what ICU has made of texts: it is slow
};

}  // namespace lade::names
