/* The yardstick of the SQLite benchmark: clean, resolved rows of a CSV file through one prepared statement in one
 * transaction, in key order. No checks, no lookups, no duplicates.
 *
 *   sqlite_prepared DATABASE CLEAN.csv insert|upsert wal|delete */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kColumns = 11 };

static const char kInsert[] = "INSERT INTO component VALUES (?,?,?,?,?,?,?,?,?,?,?)";
static const char kUpsert[] =
    "INSERT INTO component VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (item_id, component_code) DO UPDATE SET "
    "description = excluded.description, quantity = excluded.quantity, unit = excluded.unit, "
    "unit_price = excluded.unit_price, activity = excluded.activity, region = excluded.region, "
    "waste_pct = excluded.waste_pct, supplier = excluded.supplier, valid_from = excluded.valid_from";

static void stop(const char* what, const char* why) {
  fprintf(stderr, "sqlite_prepared: %s: %s\n", what, why);
  exit(3);
}

static void check(sqlite3* db, int result, const char* what) {
  if (result != SQLITE_OK && result != SQLITE_DONE) stop(what, sqlite3_errmsg(db));
}

static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (!file) stop(path, "cannot be opened");
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char* text = malloc(*size + 1);
  if (!text || fread(text, 1, *size, file) != *size) stop(path, "cannot be read");
  text[*size] = '\0';
  fclose(file);
  return text;
}

/* Takes one field from *at, unescaped in place; leaves *at behind its separator. */
static char* take_field(char** at, size_t* length) {
  char* in = *at;
  if (*in != '"') {
    char* end = in + strcspn(in, ",\n");
    *length = (size_t)(end - in);
    *at = end + 1;
    return in;
  }
  char* out = ++in;
  char* const begin = out;
  for (;; ++in) {
    if (*in == '"') {
      if (in[1] != '"') break;
      ++in;
    }
    *out++ = *in;
  }
  *length = (size_t)(out - begin);
  *at = in + 2;
  return begin;
}

static void bind_row(sqlite3_stmt* statement, char** at) {
  for (int column = 0; column < kColumns; ++column) {
    size_t length;
    char* field = take_field(at, &length);
    if (column == 0) {
      sqlite3_bind_int64(statement, 1, atoll(field));
    } else if (length == 0) {
      sqlite3_bind_null(statement, column + 1);
    } else {
      sqlite3_bind_text(statement, column + 1, field, (int)length, SQLITE_STATIC);
    }
  }
}

int main(int count, char** words) {
  if (count != 5) stop("usage", "sqlite_prepared DATABASE CLEAN.csv insert|upsert wal|delete");
  sqlite3* db;
  check(NULL, sqlite3_open(words[1], &db), words[1]);
  char pragma[64];
  snprintf(pragma, sizeof pragma, "PRAGMA journal_mode = %s; PRAGMA synchronous = NORMAL", words[4]);
  check(db, sqlite3_exec(db, pragma, NULL, NULL, NULL), "pragma");
  check(db, sqlite3_exec(db, "PRAGMA cache_size = -65536; BEGIN IMMEDIATE", NULL, NULL, NULL), "begin");
  sqlite3_stmt* statement;
  check(db, sqlite3_prepare_v2(db, strcmp(words[3], "upsert") == 0 ? kUpsert : kInsert, -1, &statement, NULL), "prepare");

  size_t size;
  char* text = read_file(words[2], &size);
  char* at = text + strcspn(text, "\n") + 1;
  while (at < text + size) {
    bind_row(statement, &at);
    check(db, sqlite3_step(statement), "insert");
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  check(db, sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), "commit");
  check(db, sqlite3_close(db), "close");
  free(text);
  return 0;
}
