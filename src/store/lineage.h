#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// The journal as a record of where stored rows come from.
namespace lade::store {

// A definition by which rows were written to a table, with the newest job that did.
struct WritingDefinition {
  std::int64_t definition = 0;
  std::int64_t job = 0;
};
Result<std::vector<WritingDefinition>> definitions_writing(db::Connection& connection, std::int64_t company,
                                                           std::string_view table);

struct LineageBlock {
  std::int64_t job = 0;
  std::string table = {};
  std::int64_t rows = 0;
  std::string images = {};  // empty where only places are asked for
  std::int64_t bucket = 0, number = 0;
};
// The blocks that jobs of a definition have written to the table between two keys: newest job first, of each in the
// order they were written.
Result<std::vector<LineageBlock>> blocks_between(db::Connection& connection, std::int64_t company,
                                                 std::string_view table, std::int64_t definition,
                                                 std::string_view first_key, std::string_view last_key);
// Any block of the job for the table; empty when there is none.
Result<std::string> some_block(db::Connection& connection, std::int64_t job, std::string_view table);
// All blocks of a job in a fixed order, without their images; and one of them with its images.
Result<std::vector<LineageBlock>> block_places(db::Connection& connection, std::int64_t job);
Result<std::string> block_images(db::Connection& connection, const LineageBlock& place);

// Of the bytes of the job's file; empty when it was imported from where it lay.
Result<std::string> file_sha256(db::Connection& connection, std::int64_t file);
// Who has corrected rows last, by row.
Result<std::map<std::int64_t, std::string>> correctors_of(db::Connection& connection, std::int64_t job,
                                                          const std::set<std::int64_t>& rows);

}  // namespace lade::store
