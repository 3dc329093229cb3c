#include <fmt/format.h>

#include "accounts/companies.h"
#include "cli/account_commands.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

json::object to_json(const accounts::Company& company) {
  return {
      {"id", company.id},
      {"slug", company.slug},
      {"name", company.name},
      {"approver_must_differ", company.approver_must_differ},
      {"max_upload_bytes", company.max_upload_bytes ? json::value(*company.max_upload_bytes) : json::value(nullptr)},
      {"created_at", company.created_at}};
}

Result<void> list(const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::read));
  LADE_ASSIGN(const auto companies, accounts::list_companies(*connection));
  if (common.output == Output::text) {
    for (const accounts::Company& company : companies) fmt::print("{:<20}  {}\n", company.slug, company.name);
    return {};
  }
  json::array objects;
  for (const accounts::Company& company : companies) objects.push_back(to_json(company));
  print_objects("companies", std::move(objects), common.output);
  return {};
}

struct CompanyWords {
  std::string slug;
  std::string name;
};

Result<void> create(const CompanyWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_accounts(common, db::Access::write));
  LADE_ASSIGN(auto transaction, db::Transaction::begin(*connection));
  LADE_ASSIGN(const auto company, accounts::create_company(*connection, words.slug, words.name));
  LADE_TRY(note(*connection, company.id, "company.create", "company", company.slug, {{"name", company.name}}));
  LADE_TRY(transaction.commit());
  if (common.output != Output::text)
    fmt::print("{}\n", json::serialize(to_json(company)));
  else if (!common.quiet)
    fmt::print("{}: created\n", company.slug);
  return {};
}

}  // namespace

void add_company_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<CompanyWords>();  // shared by the options and the action
  CLI::App* sub = app.add_subcommand("companies", "List and create companies, whose data and users are apart");
  sub->require_subcommand(1);
  CLI::App* command = sub->add_subcommand("list", "Companies by slug");
  add_database_options(*command, common);
  command->callback([&common, &action] { action = [&common] { return ended(list(common), common); }; });
  command = sub->add_subcommand("create", "Make a company");
  command->add_option("SLUG", words->slug, "its name in commands: a-z, 0-9, '-' and '_'")->required();
  command->add_option("--name", words->name, "its name for people (default: the slug)");
  add_database_options(*command, common);
  command->callback(
      [words, &common, &action] { action = [words, &common] { return ended(create(*words, common), common); }; });
}

}  // namespace lade::cli
