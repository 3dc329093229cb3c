#include <fmt/format.h>
#include <unistd.h>

#include "accounts/audit.h"
#include "accounts/companies.h"
#include "cli/account_commands.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct AuditWords {
  std::string company;
  accounts::AuditFilter filter;
};

json::object to_json(const accounts::AuditEntry& entry) {
  const accounts::AuditAction& what = entry.what;
  boost::system::error_code fault;
  json::value data = json::parse(what.data, fault);
  if (fault) data = what.data;
  return {{"number", entry.number},
          {"created_at", entry.created_at},
          {"actor", what.actor},
          {"action", what.action},
          {"object_kind", text_or_null(what.object_kind)},
          {"object_id", text_or_null(what.object_id)},
          {"data", std::move(data)},
          {"address", text_or_null(what.address)},
          {"hash", entry.hash}};
}

void print_entries(const std::vector<accounts::AuditEntry>& entries) {
  fmt::print("{}\n", bold(fmt::format("{:>8}  {:<24}  {:<24}  {:<20}  {}", "number", "time", "who", "did", "to"),
                          STDOUT_FILENO));
  for (const accounts::AuditEntry& entry : entries)
    fmt::print("{:>8}  {:<24}  {:<24}  {:<20}  {} {}\n", entry.number, entry.created_at, entry.what.actor,
               entry.what.action, entry.what.object_kind, entry.what.object_id);
}

Result<void> list(const AuditWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::read));
  LADE_ASSIGN(const auto company,
              accounts::require_company(*connection, words.company.empty() ? "default" : words.company));
  accounts::AuditFilter filter = words.filter;
  filter.company = company.id;
  LADE_ASSIGN(const auto page, accounts::list_audit(*connection, filter));
  if (common.output == Output::text) {
    page.entries.empty() ? fmt::print("none\n") : print_entries(page.entries);
    if (page.next != 0) fmt::print("there are more; the next ones: --before {}\n", page.next);
    return {};
  }
  json::array objects;
  for (const accounts::AuditEntry& entry : page.entries) objects.push_back(to_json(entry));
  if (common.output == Output::json) objects = {json::object{{"entries", std::move(objects)}, {"next", page.next}}};
  for (const json::value& object : objects) fmt::print("{}\n", json::serialize(object));
  return {};
}

Result<void> verify(const AuditWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::read));
  std::vector<accounts::Company> companies;
  if (words.company.empty()) {
    LADE_ASSIGN(companies, accounts::list_companies(*connection));
  } else {
    LADE_ASSIGN(auto company, accounts::require_company(*connection, words.company));
    companies.push_back(std::move(company));
  }
  json::array objects;
  for (const accounts::Company& company : companies) {
    auto head = accounts::verify_audit(*connection, company.id);
    if (!head) return fail(std::move(head).error().within("company " + company.slug));
    objects.push_back(json::object{{"company", company.slug}, {"entries", head->number}, {"hash", head->hash}});
    if (common.output == Output::text && !common.quiet)
      fmt::print("{}: {} entries, whole{}\n", company.slug, grouped(head->number),
                 head->number == 0 ? "" : "; the last has " + head->hash);
  }
  if (common.output != Output::text) print_objects("companies", std::move(objects), common.output);
  return {};
}

void add_filter(CLI::App& command, accounts::AuditFilter& filter) {
  command.add_option("--actor", filter.actor, "only what this user did");
  command.add_option("--action", filter.action, "only this, e.g. token.create, or token.* for all that begin so");
  command.add_option("--kind", filter.object_kind, "only what was done to things of this kind: job, user, token …");
  command.add_option("--object", filter.object_id, "only what was done to the thing with this id");
  command.add_option("--limit", filter.limit, "at most so many")->capture_default_str()->check(CLI::PositiveNumber);
  command.add_option("--before", filter.before, "only entries with smaller numbers");
}

}  // namespace

void add_audit_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<AuditWords>();  // shared by the options and the action
  CLI::App* sub = app.add_subcommand("audit", "Show what people did, and check that nobody changed it since");
  sub->require_subcommand(1);
  CLI::App* command = sub->add_subcommand("list", "Entries of a company's log, newest first");
  command->add_option("--company", words->company, "slug or id of the company (default: default)");
  add_filter(*command, words->filter);
  add_database_options(*command, common);
  command->callback(
      [words, &common, &action] { action = [words, &common] { return ended(list(*words, common), common); }; });
  command = sub->add_subcommand("verify", "Check that the log is as it was written; fails with audit_broken");
  command->add_option("--company", words->company, "slug or id of the company (default: all)");
  add_database_options(*command, common);
  command->callback(
      [words, &common, &action] { action = [words, &common] { return ended(verify(*words, common), common); }; });
}

}  // namespace lade::cli
