#include "accounts/principal.h"

#include <algorithm>
#include <array>

namespace lade::accounts {
namespace {

constexpr std::array<std::string_view, 4> kRoles = {"viewer", "operator", "reviewer", "admin"};
constexpr std::array<std::string_view, 3> kSights = {"own", "project", "company"};
constexpr std::array<std::string_view, 8> kScopes = {
    "imports:read",      "imports:write", "imports:review", "definitions:read",
    "definitions:write", "queue:read",    "queue:write",    "admin"};

template <class Enum, std::size_t size>
std::optional<Enum> named(const std::array<std::string_view, size>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view to_string(Role role) {
  return kRoles[static_cast<std::size_t>(role)];
}
std::optional<Role> role_of(std::string_view name) {
  return named<Role>(kRoles, name);
}
std::string_view to_string(Sight sight) {
  return kSights[static_cast<std::size_t>(sight)];
}
std::optional<Sight> sight_of(std::string_view name) {
  return named<Sight>(kSights, name);
}

std::span<const std::string_view> scopes() {
  return kScopes;
}

bool may(const Principal& principal, Role needed, std::string_view scope) {
  if (principal.role < needed && !principal.instance_admin) return false;
  if (principal.via == "session") return true;
  return std::any_of(principal.scopes.begin(), principal.scopes.end(),
                     [&](const std::string& each) { return each == kEveryScope || each == scope; });
}

bool sees(const Principal& principal, std::int64_t created_by, std::int64_t project) {
  switch (principal.sight) {
    case Sight::company: return true;
    case Sight::project:
      if (principal.project != 0 && principal.project == project) return true;
      [[fallthrough]];  // one's own jobs are always seen
    case Sight::own: return created_by == principal.user_id;
  }
  return false;
}

}  // namespace lade::accounts
