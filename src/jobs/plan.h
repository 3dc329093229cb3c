#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyser.h"
#include "csv/split.h"
#include "db/connection.h"
#include "definition/match.h"
#include "source/input.h"

namespace lade::jobs {

struct Job;

// How a file is cut, decided once and the same for every process: the chunks that are analysed and the key ranges of
// the buckets that are loaded.
struct Plan {
  source::Layout layout;
  csv::Split split;
  std::vector<std::string> splitters;           // the buckets' upper bounds; the last bucket has none
  std::string now;                              // $now of all rows
  std::vector<definition::KnownMatch> matches;  // columns that people have matched before, beyond the definition's own

  std::size_t chunks() const { return split.chunks.size(); }
  // Where claims are staged, behind all rows; false: rows claim nothing.
  bool has_claims() const;
  std::size_t buckets() const { return parts() - (has_claims() ? 1 : 0); }
  // Into how many parts the staged records are cut: the buckets, and the claims as the last.
  std::size_t parts() const { return splitters.size() + 1; }
  std::uint64_t chunk_end(std::size_t chunk) const;
  std::int64_t chunk_rows(std::size_t chunk) const;
};

// As it is kept with the job.
std::string to_text(const Plan& plan);
Result<Plan> read_plan(std::string_view text);

// Cuts the file of a job whose input and options are set, and binds its definition: fills in plan, program and maps.
// Everything that can be refused before the first row is refused here. Gives the session that it has opened. `on_bound`
// is called with it once the definition fits, while the file is still being read. `overrides`: how the file is read,
// where that is not what the definition says.
Result<std::unique_ptr<db::Connection>> plan_job(Job& job, const definition::Definition& definition,
                                                 const std::stop_token& stop,
                                                 const std::function<Result<void>(db::Connection&)>& on_bound = {},
                                                 const source::Overrides* overrides = nullptr);

// Refuses, as plan_job() would, a definition that does not fit records with this header, before there are any.
Result<void> check_binding(const Job& job, const definition::Definition& definition,
                           const std::vector<std::string>& header, db::Connection& connection);

}  // namespace lade::jobs
