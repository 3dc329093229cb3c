#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "db/sqlite_connection.h"

// Opening a SQLite file: the settings of a connection, or a message that says what to do.
namespace lade::db {
namespace {

Error cannot_open(const SqliteLocation& location, std::string_view why, std::string_view hint) {
  return Error{"cannot_connect", fmt::format("cannot open the SQLite database {}: {}", location.path, why),
               std::string(hint), ErrorKind::cannot_connect};
}

// SQLite itself says only "unable to open database file".
Result<void> check_path(const SqliteLocation& location) {
  namespace fs = std::filesystem;
  if (location.in_memory()) return {};
  std::error_code ignored;
  const fs::path path = location.path;
  if (fs::is_directory(path, ignored)) return fail(cannot_open(location, "it is a folder", "name a file in it"));
  if (fs::exists(path, ignored)) {
    if (!fs::is_regular_file(path, ignored))
      return fail(cannot_open(location, "it is not a regular file", "name a file"));
    return {};
  }
  if (location.mode != SqliteLocation::Mode::create)
    return fail(cannot_open(location, "there is no such file",
                            "check the path, or create the database first, e.g. with sqlite3"));
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!fs::is_directory(folder, ignored))
    return fail(
        cannot_open(location, fmt::format("the folder {} does not exist", folder.string()), "create the folder"));
  return {};
}

int flags_of(SqliteLocation::Mode mode) {
  constexpr int kAlways = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE;
  switch (mode) {
    case SqliteLocation::Mode::read_only: return kAlways | SQLITE_OPEN_READONLY;
    case SqliteLocation::Mode::read_write: return kAlways | SQLITE_OPEN_READWRITE;
    default: return kAlways | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
}

std::string words_of(sqlite3* database) {
  if (database == nullptr) return "out of memory";
  const int number = sqlite3_system_errno(database);
  const std::string words = sqlite3_errmsg(database);
  return number == 0 ? words : fmt::format("{} ({})", words, std::strerror(number));
}

std::string_view advice_for(int code) {
  switch (code & 0xff) {
    case SQLITE_NOTADB: return "name a SQLite database or a file that does not exist yet";
    case SQLITE_BUSY: return "another program holds it; wait or end that program";
    case SQLITE_READONLY: return "check the permissions, or open it with ?mode=ro";
    case SQLITE_CORRUPT: return "the file is damaged; restore it from a backup";
    default: return "check the path and the permissions of the file and its folder";
  }
}

// Whoever finds the file locked tries again for half a minute: where the disk is slow a commit can take a second, and
// nobody is served in turn. SQLite's own waiting begins with milliseconds and ends with tenths of a second; those who
// wait here mostly wait for each other's short reads and commits.
constexpr int kShortPauses = 200;
constexpr std::chrono::microseconds kShortPause{250}, kLongPause{5000};
constexpr int kMostPauses = kShortPauses + static_cast<int>(std::chrono::seconds(30) / kLongPause);

int wait_for_lock(void*, int pauses) {
  if (pauses >= kMostPauses) return 0;
  std::this_thread::sleep_for(pauses < kShortPauses ? kShortPause : kLongPause);
  return 1;
}

constexpr std::string_view kSettings =
    "PRAGMA foreign_keys = ON;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA cache_size = -65536;"
    "PRAGMA secure_delete = OFF;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA journal_size_limit = 67108864;";

}  // namespace

Result<void> SqliteConnection::set_up(const SqliteLocation& location) {
  sqlite3* database = database_.get();
  sqlite3_busy_handler(database, wait_for_lock, nullptr);
  // Without these a misspelt column name in double quotes would silently be a text.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  LADE_TRY(run(kSettings));
  // Reads the file for the first time: what is not a database shows here.
  LADE_ASSIGN(const std::vector<Row> encoding, query("PRAGMA main.encoding", {}));
  if (std::get<std::string>(encoding[0][0]) != "UTF-8")
    return fail("cannot_connect", "its texts are stored in UTF-16", "copy it into a new database with sqlite3's .dump");
  if (location.mode == SqliteLocation::Mode::read_only) return {};
  // A new file gets the journal that lets others read meanwhile; a file that is somebody's keeps its own.
  LADE_ASSIGN(const std::vector<Row> pages, query("PRAGMA main.page_count", {}));
  if (std::get<std::int64_t>(pages[0][0]) == 0) LADE_TRY(run("PRAGMA journal_mode = WAL"));
  return {};
}

Result<std::unique_ptr<Connection>> SqliteConnection::open(const SqliteLocation& location) {
  LADE_TRY(check_path(location));
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(location.path.c_str(), &opened, flags_of(location.mode), nullptr);
  Database database(opened);
  if (code != SQLITE_OK) return fail(cannot_open(location, words_of(opened), advice_for(code)));
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(std::move(database)));
  if (Result<void> ready = connection->set_up(location); !ready) {
    const Error& error = ready.error();
    if (error.code == "cannot_connect") return fail(cannot_open(location, error.message, error.hint));
    return fail(cannot_open(location, words_of(opened), advice_for(sqlite3_errcode(opened))));
  }
  return connection;
}

}  // namespace lade::db
