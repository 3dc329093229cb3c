#include <fmt/format.h>
#include <unistd.h>

#include "accounts/companies.h"
#include "accounts/links.h"
#include "base/moment.h"
#include "cli/account_commands.h"
#include "cli/password_prompt.h"
#include "cli/usage.h"

namespace lade::cli {
namespace {

namespace json = boost::json;
using accounts::Role;
using accounts::Sight;
using accounts::User;

struct UserWords {
  std::string email;
  std::string company = "default";
  std::string project;
  bool active = true;
  int role_number = static_cast<int>(Role::viewer);  // CLI11 would take these enums' own to_string() for its own
  int sight_number = static_cast<int>(Sight::company);
  std::string name;
  bool instance_admin = false;

  Role role() const { return static_cast<Role>(role_number); }
  Sight sight() const { return static_cast<Sight>(sight_number); }
};
using Words = std::shared_ptr<UserWords>;  // shared by the options and the action

json::object to_json(const User& user) {
  return {{"user_id", user.uuid},
          {"id", user.id},
          {"email", user.email},
          {"name", user.name},
          {"role", to_string(user.role)},
          {"sight", to_string(user.sight)},
          {"company_id", user.company},
          {"project_id", user.project == 0 ? json::value(nullptr) : json::value(user.project)},
          {"instance_admin", user.instance_admin},
          {"active", user.active},
          {"has_password", user.has_password},
          {"created_at", user.created_at},
          {"last_login_at", text_or_null(user.last_login_at)}};
}

void print_users(const std::vector<User>& users) {
  std::size_t width = 8;
  for (const User& user : users) width = std::max(width, user.email.size());
  fmt::print("{}\n",
             bold(fmt::format("{:<{}}  {:<14}  {:<8}  {:<16}  {}", "user", width, "role", "sees", "last login", "name"),
                  STDOUT_FILENO));
  for (const User& user : users) {
    const std::string login = user.last_login_at.empty() ? "never" : age_of(moment_of(user.last_login_at));
    fmt::print("{:<{}}  {:<14}  {:<8}  {:<16}  {}\n", user.email, width,
               user.instance_admin ? std::string_view("instance admin") : to_string(user.role), to_string(user.sight),
               user.active ? login : "inactive", user.name);
  }
}

Result<void> list(const UserWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::read));
  LADE_ASSIGN(const auto company, accounts::require_company(*connection, words.company));
  LADE_ASSIGN(const auto users, accounts::list_users(*connection, company.id));
  if (common.output == Output::text) {
    users.empty() ? fmt::print("none\n") : print_users(users);
    return {};
  }
  json::array objects;
  for (const User& user : users) objects.push_back(to_json(user));
  print_objects("users", std::move(objects), common.output);
  return {};
}

void show(const User& user, const char* done, const CommonOptions& common) {
  if (common.output != Output::text)
    fmt::print("{}\n", json::serialize(to_json(user)));
  else if (!common.quiet)
    fmt::print("{}: {}, {}{}{}\n", user.email, done, to_string(user.role),
               user.instance_admin ? ", instance admin" : "", user.active ? "" : ", not active");
}

Result<std::int64_t> project_id(db::Connection& connection, std::int64_t company, const std::string& reference) {
  if (reference.empty()) return 0;
  LADE_ASSIGN(const auto project, accounts::require_project(connection, company, reference));
  return project.id;
}

Result<void> create(const UserWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::write));
  LADE_ASSIGN(auto transaction, db::Transaction::begin(*connection));
  LADE_ASSIGN(const auto company, accounts::require_company(*connection, words.company));
  LADE_ASSIGN(const std::int64_t project, project_id(*connection, company.id, words.project));
  LADE_ASSIGN(const User user, accounts::create_user(*connection, {.email = words.email,
                                                                   .name = words.name,
                                                                   .role = words.role(),
                                                                   .company = company.id,
                                                                   .project = project,
                                                                   .sight = words.sight(),
                                                                   .instance_admin = words.instance_admin}));
  LADE_TRY(note(*connection, company.id, "user.create", "user", user.email, to_json(user)));
  LADE_TRY(transaction.commit());
  show(user, "created", common);
  return {};
}

// Does something with the user in one transaction, and gives the user.
template <class Work>
Result<User> with_user(const UserWords& words, const CommonOptions& common, Work&& work) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::write));
  LADE_ASSIGN(auto transaction, db::Transaction::begin(*connection));
  LADE_ASSIGN(User user, accounts::require_user_of_any_company(*connection, words.email));
  LADE_TRY(work(*connection, user));
  LADE_TRY(transaction.commit());
  return user;
}

// The words that were given, as a change.
accounts::UserChange change_of(const UserWords& words, const CLI::App& command) {
  const auto given = [&](const char* flag) { return command.count(flag) > 0; };
  accounts::UserChange change;
  if (given("--name")) change.name = words.name;
  if (given("--role")) change.role = words.role();
  if (given("--sight")) change.sight = words.sight();
  if (given("--active")) change.active = words.active;
  if (given("--instance-admin")) change.instance_admin = words.instance_admin;
  return change;
}

Result<void> set(const UserWords& words, accounts::UserChange change, bool with_project, const CommonOptions& common) {
  LADE_ASSIGN(const User user, with_user(words, common, [&](db::Connection& connection, User& found) -> Result<void> {
                if (with_project) {
                  LADE_ASSIGN(change.project, project_id(connection, found.company, words.project));
                }
                LADE_ASSIGN(found, accounts::change_user(connection, found.company, found.id, change));
                return note(connection, found.company, "user.change", "user", found.email, to_json(found));
              }));
  show(user, "changed", common);
  return {};
}

Result<void> set_password(const UserWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const std::string password, read_new_password());
  accounts::PasswordHasher hasher;
  LADE_ASSIGN(const User user, with_user(words, common, [&](db::Connection& connection, User& found) -> Result<void> {
                LADE_TRY(accounts::set_password(connection, hasher, found, password));
                found.has_password = true;
                return note(connection, found.company, "user.password", "user", found.email, {});
              }));
  show(user, "password set", common);
  return {};
}

Result<void> make_link(const UserWords& words, const CommonOptions& common) {
  std::string path;
  LADE_ASSIGN(
      const User user, with_user(words, common, [&](db::Connection& connection, User& found) -> Result<void> {
        const auto purpose =
            found.has_password ? accounts::LinkPurpose::password_reset : accounts::LinkPurpose::invitation;
        LADE_ASSIGN(const std::string token, accounts::create_link(connection, found, purpose));
        path = "/welcome/" + token;
        return note(connection, found.company, "user.link", "user", found.email, {{"purpose", to_string(purpose)}});
      }));
  if (common.output != Output::text)
    fmt::print("{}\n", json::serialize(json::object{{"email", user.email}, {"link", path}}));
  else
    fmt::print("{}\n", path);
  return {};
}

CLI::App* add_command(CLI::App& sub, const char* name, const char* description, CommonOptions& common) {
  CLI::App* command = sub.add_subcommand(name, description);
  add_database_options(*command, common);
  return command;
}

CLI::App* add_user_command(CLI::App& sub, const char* name, const char* description, const Words& words,
                           CommonOptions& common) {
  CLI::App* command = add_command(sub, name, description, common);
  command->add_option("EMAIL", words->email, "e-mail address of the user")->required();
  return command;
}

void add_properties(CLI::App& command, UserWords& words) {
  Choices roles, sights;
  for (const Role role : {Role::viewer, Role::operator_, Role::reviewer, Role::admin})
    roles.emplace_back(to_string(role), static_cast<int>(role));
  for (const Sight sight : {Sight::own, Sight::project, Sight::company})
    sights.emplace_back(to_string(sight), static_cast<int>(sight));
  command.add_option("--role", words.role_number, "viewer, operator, reviewer or admin (default: viewer)")
      ->transform(one_of(std::move(roles)))
      ->type_name("ROLE");
  command.add_option("--sight", words.sight_number, "whose jobs they see: own, project or company (default: company)")
      ->transform(one_of(std::move(sights)))
      ->type_name("SIGHT");
  command.add_option("--name", words.name, "as people call them (default: the address)");
  command.add_option("--project", words.project, "slug or id of their project");
  command.add_flag("--instance-admin,!--no-instance-admin", words.instance_admin, "above all companies");
}

void add_company_option(CLI::App& command, UserWords& words) {
  command.add_option("--company", words.company, "slug or id of the company")->capture_default_str();
}

}  // namespace

void add_user_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<UserWords>();
  CLI::App* sub = app.add_subcommand("users", "List, create and change the users of the server");
  sub->require_subcommand(1);
  sub->footer(
      "Examples:\n"
      "  lade users create ada@example.com --role reviewer\n"
      "  lade users link ada@example.com");
  const auto acts = [&, words](CLI::App* command, Result<void> (*act)(const UserWords&, const CommonOptions&)) {
    command->callback([words, act, &common, &action] {
      action = [words, act, &common] { return ended(act(*words, common), common); };
    });
  };
  CLI::App* command = add_command(*sub, "list", "Users of a company", common);
  add_company_option(*command, *words);
  acts(command, list);
  command = add_user_command(*sub, "create", "Make a user, who then needs a password or a link", words, common);
  add_company_option(*command, *words);
  add_properties(*command, *words);
  acts(command, create);
  command = add_user_command(*sub, "set", "Change what is given", words, common);
  add_properties(*command, *words);
  command->add_flag("--active,!--no-active", words->active, "whether they may log in; --no-active ends their sessions");
  command->callback([words, command, &common, &action] {
    action = [words, command, &common] {
      return ended(set(*words, change_of(*words, *command), command->count("--project") > 0, common), common);
    };
  });
  acts(add_user_command(*sub, "password", "Set a password: asked for, or the first line of standard input", words,
                        common),
       set_password);
  acts(add_user_command(*sub, "link", "Print a link that lets the user choose a password, once, within a day", words,
                        common),
       make_link);
}

}  // namespace lade::cli
