#include <fmt/format.h>

#include "accounts/audit.h"
#include "accounts/companies.h"
#include "accounts/links.h"
#include "accounts/users.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/views.h"

// Companies, projects, users and the audit log.
namespace lade::api {

namespace json = boost::json;
using accounts::Role;

namespace {

json::object to_json(const accounts::User& user) {
  return {{"user_id", user.uuid},
          {"email", user.email},
          {"name", text_or_null(user.name)},
          {"role", accounts::to_string(user.role)},
          {"sight", accounts::to_string(user.sight)},
          {"instance_admin", user.instance_admin},
          {"active", user.active},
          {"has_password", user.has_password},
          {"created_at", text_or_null(user.created_at)},
          {"last_login_at", text_or_null(user.last_login_at)}};
}

json::object to_json(const accounts::Company& company) {
  return {{"slug", company.slug},
          {"name", company.name},
          {"approver_must_differ", company.approver_must_differ},
          {"max_upload_bytes", company.max_upload_bytes ? json::value(*company.max_upload_bytes) : nullptr},
          {"created_at", text_or_null(company.created_at)}};
}

json::object to_json(const accounts::Project& project) {
  return {{"slug", project.slug}, {"name", project.name}, {"created_at", text_or_null(project.created_at)}};
}

json::object to_json(const accounts::AuditEntry& entry) {
  return {{"number", entry.number},
          {"actor", entry.what.actor},
          {"action", entry.what.action},
          {"object_kind", text_or_null(entry.what.object_kind)},
          {"object_id", text_or_null(entry.what.object_id)},
          {"data", parsed_or_null(entry.what.data)},
          {"address", text_or_null(entry.what.address)},
          {"created_at", entry.created_at},
          {"hash", entry.hash}};
}

template <class Items>
http::Response all_of(const Items& items) {
  json::array list;
  for (const auto& item : items) list.push_back(to_json(item));
  return whole_list(std::move(list));
}

// A word of a list, or a refusal that names them.
template <class Word>
Result<std::optional<Word>> word_of(Fields& body, std::string_view name, std::optional<Word> (*read)(std::string_view),
                                    std::string_view words) {
  const auto text = body.text(name);
  if (!text) return std::optional<Word>();
  const std::optional<Word> word = read(*text);
  if (word) return word;
  return fail("request_invalid", fmt::format("there is no {} '{}'", name, *text), std::string(words), ErrorKind::usage);
}

Result<std::int64_t> project_of(Call& call) {
  const auto slug = call.body.text("project");
  if (!slug || slug->empty()) return 0;
  LADE_ASSIGN(const accounts::Project project, accounts::require_project(call.connection, call.who().company, *slug));
  return project.id;
}

Result<http::Response> list_users(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto users, accounts::list_users(call.connection, call.who().company));
  return all_of(users);
}

Result<http::Response> create_user(Call& call) {
  accounts::NewUser wanted{.email = call.body.required_text("email"), .company = call.who().company};
  wanted.name = call.body.text("name").value_or("");
  LADE_ASSIGN(const auto role,
              word_of<Role>(call.body, "role", accounts::role_of, "viewer, operator, reviewer, admin"));
  LADE_ASSIGN(const auto sight,
              word_of<accounts::Sight>(call.body, "sight", accounts::sight_of, "own, project, company"));
  LADE_ASSIGN(wanted.project, project_of(call));
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  wanted.role = role.value_or(Role::viewer);
  wanted.sight = sight.value_or(accounts::Sight::company);
  LADE_ASSIGN(const accounts::User user, accounts::create_user(call.connection, wanted));
  LADE_ASSIGN(const std::string link, accounts::create_link(call.connection, user, accounts::LinkPurpose::invitation));
  call.object_id = user.uuid;
  call.audit["email"] = user.email;
  json::object object = to_json(user);
  object["link"] = "/welcome/" + link;
  return json_response(201, object);
}

Result<accounts::User> user_in_path(const Call& call) {
  return accounts::require_user(call.connection, call.who().company, call.at("user"));
}

Result<http::Response> show_user(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const accounts::User user, user_in_path(call));
  return json_response(200, to_json(user));
}

Result<http::Response> change_user(Call& call) {
  accounts::UserChange change;
  change.name = call.body.text("name");
  LADE_ASSIGN(change.role, word_of<Role>(call.body, "role", accounts::role_of, "viewer, operator, reviewer, admin"));
  LADE_ASSIGN(change.sight, word_of<accounts::Sight>(call.body, "sight", accounts::sight_of, "own, project, company"));
  change.active = call.body.flag("active");
  if (call.body.has("project")) {
    LADE_ASSIGN(change.project, project_of(call));
  }
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const accounts::User before, user_in_path(call));
  const bool weakens = (change.role && *change.role != Role::admin) || (change.active && !*change.active);
  if (before.id == call.who().user_id && weakens)
    return fail("not_allowed", "nobody takes their own rights away", "ask another admin", ErrorKind::usage);
  LADE_ASSIGN(const accounts::User user, accounts::change_user(call.connection, call.who().company, before.id, change));
  return json_response(200, to_json(user));
}

Result<http::Response> link_user(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const accounts::User user, user_in_path(call));
  LADE_ASSIGN(const std::string link,
              accounts::create_link(call.connection, user, accounts::LinkPurpose::password_reset));
  return json_response(201, json::object{{"link", "/welcome/" + link}});
}

Result<http::Response> list_projects(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto projects, accounts::list_projects(call.connection, call.who().company));
  return all_of(projects);
}

Result<http::Response> create_project(Call& call) {
  const std::string slug = call.body.required_text("slug"), name = call.body.text("name").value_or(slug);
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const auto project, accounts::create_project(call.connection, call.who().company, slug, name));
  call.object_id = slug;
  return json_response(201, to_json(project));
}

Result<http::Response> show_company(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto company, accounts::require_company(call.connection, std::to_string(call.who().company)));
  return json_response(200, to_json(company));
}

Result<http::Response> change_company(Call& call) {
  LADE_ASSIGN(auto company, accounts::require_company(call.connection, std::to_string(call.who().company)));
  company.name = call.body.text("name").value_or(company.name);
  company.approver_must_differ = call.body.flag("approver_must_differ").value_or(company.approver_must_differ);
  if (const auto most = call.body.integer("max_upload_bytes", 1, INT64_MAX)) company.max_upload_bytes = *most;
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(accounts::save_company(call.connection, company));
  call.object_id = company.slug;
  return json_response(200, to_json(company));
}

Result<http::Response> list_companies(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto companies, accounts::list_companies(call.connection));
  return all_of(companies);
}

// With its first admin, who gets a one-time link.
Result<http::Response> create_company(Call& call) {
  const std::string slug = call.body.required_text("slug"), name = call.body.text("name").value_or(slug),
                    admin = call.body.required_text("admin");
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const auto company, accounts::create_company(call.connection, slug, name));
  LADE_ASSIGN(const auto user,
              accounts::create_user(call.connection, {.email = admin, .role = Role::admin, .company = company.id}));
  LADE_ASSIGN(const std::string link, accounts::create_link(call.connection, user, accounts::LinkPurpose::invitation));
  call.object_id = slug;
  json::object object = to_json(company);
  object["link"] = "/welcome/" + link;
  return json_response(201, object);
}

Result<http::Response> list_audit(Call& call) {
  accounts::AuditFilter filter{.company = call.who().company};
  filter.actor = call.query.text("actor").value_or("");
  filter.action = call.query.text("action").value_or("");
  filter.object_kind = call.query.text("object_kind").value_or("");
  filter.object_id = call.query.text("object_id").value_or("");
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  filter.before = page.before;
  filter.limit = page.limit;
  LADE_ASSIGN(const auto found, accounts::list_audit(call.connection, filter));
  json::array items;
  for (const accounts::AuditEntry& entry : found.entries) items.push_back(to_json(entry));
  return json_response(
      200, json::object{{"items", std::move(items)},
                        {"next", found.next == 0 ? json::value(nullptr) : json::value(std::to_string(found.next))}});
}

Result<http::Response> verify_audit(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto head, accounts::verify_audit(call.connection, call.who().company));
  return json_response(200,
                       json::object{{"intact", true}, {"entries", head.number}, {"hash", text_or_null(head.hash)}});
}

}  // namespace

std::vector<Route> administration_routes() {
  const Access admin{Role::admin, "admin"}, instance{Role::admin, "admin", true};
  return {
      {.method = "GET",
       .path = "/api/v1/users",
       .name = "users.list",
       .summary = "The company's users",
       .access = admin,
       .answer = list_users,
       .answers = {{200, "UserPage", "users by e-mail address"}}},
      {.method = "POST",
       .path = "/api/v1/users",
       .name = "users.create",
       .summary = "A new user, who chooses a password by the link in the answer",
       .access = admin,
       .answer = create_user,
       .body = Body::json,
       .body_schema = "NewUser",
       .answers = {{201, "User", "the user"}},
       .answers_secret = true},
      {.method = "GET",
       .path = "/api/v1/users/{user}",
       .name = "users.show",
       .summary = "A user",
       .access = admin,
       .answer = show_user,
       .answers = {{200, "User", "the user"}}},
      {.method = "PATCH",
       .path = "/api/v1/users/{user}",
       .name = "users.change",
       .summary = "Change name, role, sight, project, or whether the user is active",
       .access = admin,
       .answer = change_user,
       .body = Body::json,
       .body_schema = "UserChange",
       .answers = {{200, "User", "the user"}}},
      {.method = "POST",
       .path = "/api/v1/users/{user}/link",
       .name = "users.link",
       .summary = "A one-time link to choose a new password",
       .access = admin,
       .answer = link_user,
       .body = Body::json,
       .answers = {{201, "Link", "the link"}},
       .answers_secret = true},
      {.method = "GET",
       .path = "/api/v1/projects",
       .name = "projects.list",
       .summary = "The company's projects",
       .access = {Role::viewer, "imports:read"},
       .answer = list_projects,
       .answers = {{200, "ProjectPage", "projects"}}},
      {.method = "POST",
       .path = "/api/v1/projects",
       .name = "projects.create",
       .summary = "A new project",
       .access = admin,
       .answer = create_project,
       .body = Body::json,
       .body_schema = "NewProject",
       .answers = {{201, "Project", "the project"}}},
      {.method = "GET",
       .path = "/api/v1/company",
       .name = "company.show",
       .summary = "The company's settings",
       .access = {Role::viewer, "imports:read"},
       .answer = show_company,
       .answers = {{200, "Company", "the company"}}},
      {.method = "PATCH",
       .path = "/api/v1/company",
       .name = "company.change",
       .summary = "Change the company's settings",
       .access = admin,
       .answer = change_company,
       .body = Body::json,
       .body_schema = "CompanyChange",
       .answers = {{200, "Company", "the company"}}},
      {.method = "GET",
       .path = "/api/v1/companies",
       .name = "companies.list",
       .summary = "All companies",
       .access = instance,
       .answer = list_companies,
       .answers = {{200, "CompanyPage", "companies by slug"}}},
      {.method = "POST",
       .path = "/api/v1/companies",
       .name = "companies.create",
       .summary = "A new company with its first admin, who gets the link in the answer",
       .access = instance,
       .answer = create_company,
       .body = Body::json,
       .body_schema = "NewCompany",
       .answers = {{201, "Company", "the company"}},
       .answers_secret = true},
      {.method = "GET",
       .path = "/api/v1/audit",
       .name = "audit.list",
       .summary = "What people did, newest first",
       .access = admin,
       .answer = list_audit,
       .query = with_paging({{"actor", "string", "only what this user did"},
                             {"action", "string", "imports.approve, or imports.* for all of an area"},
                             {"object_kind", "string", "import, user, token …"},
                             {"object_id", "string", "of that"}}),
       .answers = {{200, "AuditPage", "a page of the log"}}},
      {.method = "GET",
       .path = "/api/v1/audit/verify",
       .name = "audit.verify",
       .summary = "Whether the log's chain of hashes is intact",
       .access = admin,
       .answer = verify_audit,
       .answers = {{200, "AuditHead", "it is"}}},
  };
}

}  // namespace lade::api
