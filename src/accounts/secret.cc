#include "accounts/secret.h"

#include <sodium.h>

#include "accounts/sql.h"
#include "base/assert.h"

namespace lade::accounts {

std::string new_secret() {
  LADE_ASSERT(sodium_init() >= 0);
  unsigned char bytes[32];
  randombytes_buf(bytes, sizeof bytes);
  char text[kSecretCharacters + 1];
  sodium_bin2base64(text, sizeof text, bytes, sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  return text;
}

Principal principal_of(const db::Row& row) {
  Principal principal;
  principal.company = integer_of(row[0]);
  principal.company_slug = text_of(row[1]);
  principal.company_name = text_of(row[2]);
  principal.user_id = integer_of(row[3]);
  principal.user = text_of(row[4]);
  principal.name = text_of(row[5]);
  principal.role = role_of(text_of(row[6])).value();
  principal.instance_admin = integer_of(row[7]) != 0;
  principal.sight = sight_of(text_of(row[8])).value();
  principal.project = integer_of(row[9]);
  return principal;
}

}  // namespace lade::accounts
