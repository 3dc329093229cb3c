#include <fmt/format.h>

#include <array>
#include <map>

#include "db/postgresql_connection.h"
#include "db/url.h"

// Opening a session: from a URL to a connection that is set up, or a message that says what to do.
namespace lade::db {
namespace {

using Settings = std::map<std::string, std::string>;

// libpq quotes parts of the URL in its messages; any of them may be a password.
std::string without_quoted_parts(std::string_view words) {
  std::string safe;
  while (true) {
    const std::size_t open = words.find('"');
    safe += words.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = words.find('"', open + 1);
    // One character, as in: expected ":" or "/".
    if (close == open + 2) {
      safe += words.substr(open, 3);
    } else {
      safe += "…";
    }
    if (close == std::string_view::npos) break;
    words.remove_prefix(close + 1);
  }
  safe.erase(safe.find_last_not_of(" \n") + 1);
  return safe;
}

Result<Settings> settings_of(const std::string& url) {
  char* words = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfoParse(url.c_str(), &words),
                                                                             PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> owned_words(words, PQfreemem);
  if (options == nullptr) return fail(database_url_invalid(without_quoted_parts(words == nullptr ? "" : words)));
  Settings settings = {{"connect_timeout", "10"},
                       {"fallback_application_name", "lade"},
                       {"keepalives_idle", "30"},
                       {"keepalives_interval", "10"},
                       {"keepalives_count", "3"}};
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr) settings[option->keyword] = option->val;
  settings["client_encoding"] = "UTF8";
  return settings;
}

struct Advice {
  std::string_view words;  // part of what libpq or the server says
  std::string_view hint;
};

constexpr std::array kAdvice = {
    Advice{"Connection refused", "start the server, or check host and port"},
    Advice{"No such file or directory", "start the server, or check the host: without one the local socket is used"},
    Advice{"could not translate host name", "check the name of the host"},
    Advice{"timeout expired", "check the host and the firewall before it"},
    Advice{"password authentication failed", "check user and password"},
    Advice{"no password supplied", "give a password in the URL, in PGPASSWORD or in ~/.pgpass"},
    Advice{"Peer authentication failed", "connect as the operating system's user, or through TCP with a password"},
    Advice{"pg_hba.conf", "let pg_hba.conf of the server admit this user and address"},
    Advice{"too many", "try again, or raise max_connections of the server"},
    Advice{"remaining connection slots", "try again, or raise max_connections of the server"},
    Advice{"starting up", "try again in a moment"},
};

Error cannot_connect(const std::string& url, PGconn* session) {
  std::string words = session == nullptr ? "out of memory" : PQerrorMessage(session);
  words.erase(words.find_last_not_of(" \n") + 1);
  std::string hint = "check host, port, user and database of the URL";
  if (words.find("database") != std::string::npos && words.find("does not exist") != std::string::npos)
    hint = "create the database first, e.g. with createdb";
  for (const Advice& advice : kAdvice)
    if (words.find(advice.words) != std::string::npos) hint = advice.hint;
  return Error{"cannot_connect", fmt::format("cannot connect to {}: {}", without_password(url), words), std::move(hint),
               ErrorKind::cannot_connect};
}

constexpr std::string_view kSetUp =
    "SET client_min_messages = warning;"
    "SET standard_conforming_strings = on;"
    "SET TimeZone = 'UTC';"
    "SET DateStyle = 'ISO, YMD';"
    "SET IntervalStyle = 'postgres';"
    "SET bytea_output = 'hex';"
    "SET extra_float_digits = 1;"
    // lade's statements are short. Where it forbids a kind of scan, the planner's price for that alone would make the
    // server compile the statement first, for most of a second.
    "SET jit = off";

constexpr int kOldestVersion = 150000;

}  // namespace

Result<std::unique_ptr<Connection>> PostgresqlConnection::open(const std::string& url) {
  LADE_ASSIGN(const Settings settings, settings_of(url));
  std::vector<const char*> keywords, values;
  for (const auto& [keyword, value] : settings) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  Session session(PQconnectdbParams(keywords.data(), values.data(), 0));
  if (session == nullptr || PQstatus(session.get()) != CONNECTION_OK) return fail(cannot_connect(url, session.get()));
  if (const int version = PQserverVersion(session.get()); version < kOldestVersion)
    return fail("cannot_connect",
                fmt::format("{} runs PostgreSQL {}; lade needs 15 or newer", without_password(url), version / 10000),
                "upgrade the server", ErrorKind::cannot_connect);
  PQsetNoticeProcessor(
      session.get(), [](void*, const char*) {}, nullptr);
  std::unique_ptr<PostgresqlConnection> connection(new PostgresqlConnection(std::move(session)));
  LADE_TRY(connection->run(kSetUp));
  return connection;
}

}  // namespace lade::db
