#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

// E-mail addresses as logins.
namespace lade::accounts {

// A to Z become a to z; nothing else changes.
std::string lower_case(std::string_view text);

// As the database has it. Fails with email_invalid: one '@' with something on both sides, no blanks or control
// characters, at most 254 bytes. More cannot be said without sending a letter there.
Result<std::string> normal_email(std::string_view text);

// What failed logins are counted by.
std::string login_hash(std::string_view email);

}  // namespace lade::accounts
