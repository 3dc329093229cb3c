#include <fmt/format.h>
#include <unistd.h>

#include "accounts/companies.h"
#include "accounts/tokens.h"
#include "base/moment.h"
#include "cli/account_commands.h"

namespace lade::cli {
namespace {

namespace json = boost::json;
using accounts::Token;

struct TokenWords {
  std::string name;
  std::string reference;
  std::string user;
  std::string company = "default";
  std::vector<std::string> scopes;
  std::string expires = std::to_string(accounts::kDefaultTokenLife.count());
};

json::object to_json(const Token& token) {
  return {{"token_id", token.uuid},
          {"id", token.id},
          {"name", token.name},
          {"user", token.user},
          {"scopes", json::array(token.scopes.begin(), token.scopes.end())},
          {"created_at", token.created_at},
          {"expires_at", text_or_null(token.expires_at)},
          {"last_used_at", text_or_null(token.last_used_at)},
          {"revoked_at", text_or_null(token.revoked_at)}};
}

std::string end_of(const Token& token) {
  if (!token.revoked_at.empty()) return "revoked " + age_of(moment_of(token.revoked_at));
  return token.expires_at.empty() ? "never" : token.expires_at.substr(0, 10);
}

void print_tokens(const std::vector<Token>& tokens) {
  fmt::print("{}\n", bold(fmt::format("{:>6}  {:<20}  {:<28}  {:<16}  {:<18}  {}", "id", "name", "user", "last used",
                                      "ends", "scopes"),
                          STDOUT_FILENO));
  for (const Token& token : tokens)
    fmt::print("{:>6}  {:<20}  {:<28}  {:<16}  {:<18}  {}\n", token.id, token.name, token.user,
               token.last_used_at.empty() ? "never" : age_of(moment_of(token.last_used_at)), end_of(token),
               fmt::join(token.scopes, " "));
}

Result<void> list(const TokenWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::read));
  LADE_ASSIGN(const auto company, accounts::require_company(*connection, words.company));
  std::int64_t user = 0;
  if (!words.user.empty()) {
    LADE_ASSIGN(const auto found, accounts::require_user(*connection, company.id, words.user));
    user = found.id;
  }
  LADE_ASSIGN(const auto tokens, accounts::list_tokens(*connection, company.id, user));
  if (common.output == Output::text) {
    tokens.empty() ? fmt::print("none\n") : print_tokens(tokens);
    return {};
  }
  json::array objects;
  for (const Token& token : tokens) objects.push_back(to_json(token));
  print_objects("tokens", std::move(objects), common.output);
  return {};
}

std::optional<std::chrono::days> life_of(const std::string& expires) {
  if (expires == "never") return std::nullopt;
  return std::chrono::days(std::stoi(expires));
}

Result<void> create(const TokenWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::write));
  LADE_ASSIGN(auto transaction, db::Transaction::begin(*connection));
  LADE_ASSIGN(const auto user, accounts::require_user_of_any_company(*connection, words.user));
  LADE_ASSIGN(const auto made, accounts::create_token(
                                   *connection, user,
                                   {.name = words.name, .scopes = words.scopes, .valid_for = life_of(words.expires)}));
  LADE_TRY(note(*connection, user.company, "token.create", "token", made.token.uuid, to_json(made.token)));
  LADE_TRY(transaction.commit());
  if (common.output != Output::text) {
    json::object object = to_json(made.token);
    object["token"] = made.text;
    fmt::print("{}\n", json::serialize(object));
    return {};
  }
  fmt::print("{}\n", made.text);
  if (!common.quiet) fmt::print(stderr, "Keep it now: it is not shown again.\n");
  return {};
}

Result<void> revoke(const TokenWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::write));
  LADE_ASSIGN(auto transaction, db::Transaction::begin(*connection));
  LADE_ASSIGN(const auto company, accounts::require_company(*connection, words.company));
  LADE_ASSIGN(const Token token, accounts::revoke_token(*connection, company.id, words.reference));
  LADE_TRY(note(*connection, company.id, "token.revoke", "token", token.uuid, {{"name", token.name}}));
  LADE_TRY(transaction.commit());
  if (common.output != Output::text)
    fmt::print("{}\n", json::serialize(to_json(token)));
  else if (!common.quiet)
    fmt::print("{}: revoked\n", token.name);
  return {};
}

// Days, or the word never.
std::string days_fault(const std::string& word) {
  const bool number = !word.empty() && word.size() <= 4 && word.find_first_not_of("0123456789") == std::string::npos;
  return number || word == "never" ? "" : fmt::format("'{}' is not accepted; expected 1 to 366, or never", word);
}

}  // namespace

void add_token_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<TokenWords>();  // shared by the options and the action
  CLI::App* sub = app.add_subcommand("tokens", "List, create and revoke tokens with which programs use the API");
  sub->require_subcommand(1);
  sub->footer(
      "Examples:\n"
      "  lade tokens create nightly --user ada@example.com --scope imports:read --scope imports:write\n"
      "  lade tokens revoke 3");
  const auto add = [&](const char* name, const char* description,
                       Result<void> (*act)(const TokenWords&, const CommonOptions&)) {
    CLI::App* command = sub->add_subcommand(name, description);
    add_database_options(*command, common);
    command->callback([words, act, &common, &action] {
      action = [words, act, &common] { return ended(act(*words, common), common); };
    });
    return command;
  };
  CLI::App* command = add("list", "Tokens of a company, newest first", list);
  command->add_option("--company", words->company, "slug or id of the company")->capture_default_str();
  command->add_option("--user", words->user, "only those of the user with this e-mail address");
  command = add("create", "Make a token and print it, once", create);
  command->add_option("NAME", words->name, "what it is for")->required();
  command->add_option("--user", words->user, "e-mail address of the user in whose name it acts")->required();
  command->add_option("--scope", words->scopes, "what it is good for; may be given several times")->required();
  command->add_option("--expires", words->expires, "after so many days, 366 at most; never: only for instance admins")
      ->capture_default_str()
      ->check(CLI::Validator(days_fault, "DAYS"));
  command = add("revoke", "End a token", revoke);
  command->add_option("TOKEN", words->reference, "id or UUID of the token")->required();
  command->add_option("--company", words->company, "slug or id of the company")->capture_default_str();
}

}  // namespace lade::cli
