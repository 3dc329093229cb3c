#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "db/connection.h"
#include "definition/definition.h"
#include "jobs/corrections.h"
#include "jobs/import.h"
#include "source/input.h"
#include "steps/fetch_rules.h"
#include "store/pages.h"

// Files whose rows name pages, and the records that rows and pages become together (docs/adr/0015).
namespace lade::jobs {

// A manifest that was recognised.
struct Manifest {
  const source::Input& input;
  source::Layout layout;
  std::size_t url = 0;                  // its column
  std::optional<std::size_t> key = {};  // nullopt: pages are called by their addresses
};
// Fails as reading files does, with manifest_empty when it has no row, and with manifest_ingest_failed when it has no
// column with addresses.
Result<Manifest> read_manifest(const source::Input& input, const definition::Definition& definition);

// A page for each row, in their order, handed over by the thousand. Gives how many. `job` is the job's UUID.
Result<std::int64_t> read_pages(const Manifest& manifest, const std::string& job, const std::stop_token& stop,
                                const std::function<Result<void>(std::vector<store::NewPage>)>& take);

// The header of the records: the manifest's columns, the fields, and what is said about pages.
std::vector<std::string> record_header(const Manifest& manifest, const steps::PageRules& rules);

// What a page gives to the record of its row, by column.
Cells page_cells(const store::PageRecord& page, const steps::PageRules& rules);

// Writes the records aside: an input that reads like the manifest, row by row, with more columns. All pages have ended.
Result<source::Input> gather_records(db::Connection& connection, std::int64_t job, const Manifest& manifest,
                                     const steps::PageRules& rules, const ImportOptions& here,
                                     const std::stop_token& stop);
// How such records are read: what the definition says about the manifest does not hold for them.
source::Overrides record_overrides(const definition::Definition& definition);

}  // namespace lade::jobs
