#include "accounts/companies.h"

#include <fmt/format.h>

#include <algorithm>

#include "accounts/sql.h"

namespace lade::accounts {
namespace {

Result<void> check_slug(std::string_view slug) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_good = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
  if (!slug.empty() && slug.size() <= 63 && is_letter(slug.front()) && std::all_of(slug.begin(), slug.end(), is_good))
    return {};
  return fail("slug_invalid", fmt::format("'{}' cannot be a slug", slug),
              "1 to 63 of a-z, 0-9, '-' and '_', beginning with a letter", ErrorKind::usage);
}

std::string select_companies(const db::Connection& connection) {
  return fmt::format("SELECT id, slug, name, approver_must_differ, max_upload_bytes, {} FROM lade_company ",
                     time_sql(connection, "created_at"));
}

Company company_of(const db::Row& row) {
  Company company{integer_of(row[0]), text_of(row[1]), text_of(row[2]), integer_of(row[3]) != 0};
  if (const auto* bytes = std::get_if<std::int64_t>(&row[4])) company.max_upload_bytes = *bytes;
  company.created_at = text_of(row[5]);
  return company;
}

tl::unexpected<Error> company_not_found(std::string_view reference) {
  return fail("company_not_found", fmt::format("there is no company '{}'", reference), "see lade companies list",
              ErrorKind::invalid);
}

std::string select_projects(const db::Connection& connection) {
  return fmt::format("SELECT id, slug, name, {} FROM lade_project WHERE company_id = $1 ",
                     time_sql(connection, "created_at"));
}

Project project_of(const db::Row& row) {
  return {integer_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3])};
}

}  // namespace

Result<Company> create_company(db::Connection& connection, const std::string& slug, const std::string& name) {
  LADE_TRY(check_slug(slug));
  return in_transaction(connection, [&]() -> Result<Company> {
    const Value values[] = {slug, name.empty() ? slug : name};
    LADE_ASSIGN(const auto rows,
                connection.query(fmt::format("INSERT INTO lade_company (slug, name, created_at) VALUES ($1, $2, {}) "
                                             "ON CONFLICT (slug) DO NOTHING RETURNING id",
                                             now_sql(connection)),
                                 values));
    if (rows.empty())
      return fail("company_exists", fmt::format("there is a company '{}' already", slug), "choose another slug",
                  ErrorKind::duplicate);
    const Value id[] = {rows[0][0]};
    LADE_TRY(connection.execute("INSERT INTO lade_audit_head (company_id) VALUES ($1)", id));
    return require_company(connection, slug);
  });
}

Result<std::optional<Company>> find_company(db::Connection& connection, std::string_view reference) {
  const Value values[] = {std::string(reference), id_of(reference)};
  LADE_ASSIGN(const auto rows,
              connection.query(select_companies(connection) + "WHERE slug = $1 OR id = CAST($2 AS bigint)", values));
  return rows.empty() ? std::nullopt : std::optional(company_of(rows.front()));
}

Result<Company> require_company(db::Connection& connection, std::string_view reference) {
  LADE_ASSIGN(auto company, find_company(connection, reference));
  if (!company) return company_not_found(reference);
  return std::move(*company);
}

Result<std::vector<Company>> list_companies(db::Connection& connection) {
  LADE_ASSIGN(const auto rows, connection.query(select_companies(connection) + "ORDER BY slug"));
  std::vector<Company> companies;
  for (const db::Row& row : rows) companies.push_back(company_of(row));
  return companies;
}

Result<void> save_company(db::Connection& connection, const Company& company) {
  const Value values[] = {company.name, std::int64_t{company.approver_must_differ},
                          company.max_upload_bytes ? Value(*company.max_upload_bytes) : Value(), company.id};
  LADE_ASSIGN(const std::int64_t changed,
              connection.execute("UPDATE lade_company SET name = $1, approver_must_differ = $2, max_upload_bytes = $3 "
                                 "WHERE id = $4",
                                 values));
  if (changed == 0) return company_not_found(std::to_string(company.id));
  return {};
}

Result<Project> create_project(db::Connection& connection, std::int64_t company, const std::string& slug,
                               const std::string& name) {
  LADE_TRY(check_slug(slug));
  LADE_TRY(require_company(connection, std::to_string(company)));
  const Value values[] = {company, slug, name.empty() ? slug : name};
  LADE_ASSIGN(const std::int64_t made,
              connection.execute(fmt::format("INSERT INTO lade_project (company_id, slug, name, created_at) "
                                             "VALUES ($1, $2, $3, {}) ON CONFLICT (company_id, slug) DO NOTHING",
                                             now_sql(connection)),
                                 values));
  if (made == 0)
    return fail("project_exists", fmt::format("there is a project '{}' already", slug), "choose another slug",
                ErrorKind::duplicate);
  return require_project(connection, company, slug);
}

Result<Project> require_project(db::Connection& connection, std::int64_t company, std::string_view reference) {
  const Value values[] = {company, std::string(reference), id_of(reference)};
  LADE_ASSIGN(const auto rows,
              connection.query(select_projects(connection) + "AND (slug = $2 OR id = CAST($3 AS bigint))", values));
  if (rows.empty())
    return fail("project_not_found", fmt::format("the company has no project '{}'", reference), "give its slug or id",
                ErrorKind::invalid);
  return project_of(rows.front());
}

Result<std::vector<Project>> list_projects(db::Connection& connection, std::int64_t company) {
  const Value values[] = {company};
  LADE_ASSIGN(const auto rows, connection.query(select_projects(connection) + "ORDER BY slug", values));
  std::vector<Project> projects;
  for (const db::Row& row : rows) projects.push_back(project_of(row));
  return projects;
}

}  // namespace lade::accounts
