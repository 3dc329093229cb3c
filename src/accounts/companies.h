#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// Companies (tenants) and their projects.
namespace lade::accounts {

struct Company {
  std::int64_t id = 0;
  std::string slug;
  std::string name;
  bool approver_must_differ = false;                  // nobody approves what they have uploaded
  std::optional<std::int64_t> max_upload_bytes = {};  // nullopt: no limit of its own
  std::string created_at = {};
};

// A slug is made of 1 to 63 of a-z, 0-9, '-' and '_', and begins with a letter, so that it is never an id. Fails with
// slug_invalid or company_exists.
Result<Company> create_company(db::Connection& connection, const std::string& slug, const std::string& name);
// By slug or id; nullopt when there is none.
Result<std::optional<Company>> find_company(db::Connection& connection, std::string_view reference);
// The same; fails with company_not_found.
Result<Company> require_company(db::Connection& connection, std::string_view reference);
// By slug.
Result<std::vector<Company>> list_companies(db::Connection& connection);
// Name, approver_must_differ and max_upload_bytes become those of `company`. Fails with company_not_found.
Result<void> save_company(db::Connection& connection, const Company& company);

struct Project {
  std::int64_t id = 0;
  std::string slug;
  std::string name;
  std::string created_at;
};

// Fails with slug_invalid or project_exists.
Result<Project> create_project(db::Connection& connection, std::int64_t company, const std::string& slug,
                               const std::string& name);
// By slug or id, of this company; fails with project_not_found.
Result<Project> require_project(db::Connection& connection, std::int64_t company, std::string_view reference);
// By slug.
Result<std::vector<Project>> list_projects(db::Connection& connection, std::int64_t company);

}  // namespace lade::accounts
