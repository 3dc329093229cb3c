#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Who asks, and what they may do.
namespace lade::accounts {

// In a company; each may what those before it may.
enum class Role {
  viewer,     // reads
  operator_,  // uploads, creates, pauses, cancels, retries
  reviewer,   // approves and rejects
  admin,      // users, tokens, webhooks, definitions, the company's audit log
};
std::string_view to_string(Role role);  // viewer, operator, reviewer, admin
std::optional<Role> role_of(std::string_view name);

// Whose jobs somebody sees.
enum class Sight { own, project, company };
std::string_view to_string(Sight sight);
std::optional<Sight> sight_of(std::string_view name);

// What a token can be good for: imports:read, imports:write, imports:review, definitions:read, definitions:write,
// queue:read, queue:write, admin. None includes another.
std::span<const std::string_view> scopes();
// The scope that stands for all.
inline constexpr std::string_view kEveryScope = "*";

// Somebody who has proved who they are, by a session or by a token.
struct Principal {
  std::int64_t company = 0;
  std::string company_slug;
  std::string company_name;
  std::int64_t user_id = 0;
  std::string user;  // e-mail address, for events and the audit log
  std::string name;  // as people call them
  Role role = Role::viewer;
  bool instance_admin = false;  // above companies
  Sight sight = Sight::company;
  std::int64_t project = 0;         // 0: none
  std::vector<std::string> scopes;  // of the token; empty for a session, which may all that its user may
  std::string via;                  // "session" or "token"
  std::int64_t credential = 0;      // id of the session or token
  bool use_unrecorded = false;      // its last use was recorded a minute ago or earlier: call record_use()
};

// Whether the principal's role is enough and its token, if it is one, is good for `scope`. A token never may more than
// its user.
bool may(const Principal& principal, Role needed, std::string_view scope);

// Whether the principal sees what this user made in this project (0: none) of the principal's company.
bool sees(const Principal& principal, std::int64_t created_by, std::int64_t project);

}  // namespace lade::accounts
