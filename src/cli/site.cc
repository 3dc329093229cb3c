#include "cli/site.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/remote_site.h"

namespace lade::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// The token is kept out of the process list, unless somebody insists.
Result<std::string> token_of(const CommonOptions& common) {
  if (!common.token.empty() && !common.token_file.empty())
    return fail("option_invalid", "both --token and --token-file are given", "one of them is enough", ErrorKind::usage);
  if (!common.token.empty()) return common.token;
  if (common.token_file.empty()) return environment("LADE_TOKEN");
  LADE_ASSIGN(std::string text, read_all(common.token_file));
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

void say_waiting(const Error& error) {
  fmt::print(stderr, "{}{}; waiting for it to come back\n", isatty(STDERR_FILENO) != 0 ? "\r\x1b[K" : "",
             error.message);
}

}  // namespace

Result<std::string> server_of(const CommonOptions& common) {
  const bool names_database = !common.database.empty() && common.database != environment("LADE_DATABASE");
  if (!common.server.empty() && names_database)
    return fail("option_invalid", "both --server and --database are given", "a server has its own database",
                ErrorKind::usage);
  if (!common.server.empty() || names_database) return common.server;
  return environment("LADE_SERVER");
}

Result<std::unique_ptr<RemoteSite>> open_remote_site(const std::string& url, const CommonOptions& common) {
  LADE_ASSIGN(std::string token, token_of(common));
  remote::Habits habits;
  if (!common.quiet) habits.on_waiting = say_waiting;
  LADE_ASSIGN(remote::Client client,
              remote::Client::create({url, std::move(token), common.ca_file}, std::move(habits)));
  return std::make_unique<RemoteSite>(std::move(client), common.data);
}

Result<std::unique_ptr<Site>> open_site(const CommonOptions& common) {
  LADE_ASSIGN(const std::string url, server_of(common));
  if (url.empty()) return open_local_site(common);
  return open_remote_site(url, common);
}

Error definition_faults(const definition::Parsed& parsed, const std::string& name) {
  return {"definition_invalid", definition::describe(parsed.faults, name), "lade definitions validate shows the same",
          ErrorKind::invalid};
}

bool names_file(const std::string& name) {
  std::error_code error;
  // When it cannot be looked at, opening it says what is wrong with it.
  if (std::filesystem::exists(name, error) || error) return true;
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json") ||
         name.find('/') != std::string::npos;
}

Result<NamedDefinition> find_definition_text(const std::string& name, Site& site) {
  std::error_code error;
  if (std::filesystem::exists(name, error) || error) {
    LADE_ASSIGN(std::string text, read_all(name));
    return NamedDefinition{std::move(text), name};
  }
  std::optional<std::string> stored;
  if (!names_file(name)) {
    auto found = site.find_definition(name);
    if (!found) return fail(std::move(found).error().within(fmt::format("definition '{}'", name)));
    stored = std::move(*found);
  }
  if (!stored)
    return fail("definition_not_found", fmt::format("there is no definition '{}'", name),
                "give the path of a YAML file, or store it first: lade definitions add FILE", ErrorKind::invalid);
  return NamedDefinition{std::move(*stored), name};
}

}  // namespace lade::cli
