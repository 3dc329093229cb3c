#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/packs.h"
#include "jobs/import.h"

namespace lade::cli {

// What installing a pack has done.
struct Installed {
  std::vector<std::string> tables_made;
  std::vector<std::string> tables_kept;  // were there before, and stay as they are
  struct Reference {
    std::string file;
    jobs::Summary summary;
  };
  std::vector<Reference> references;
  std::vector<store::StoredDefinition> definitions;
};

// Makes the pack's tables that are missing, in one transaction; imports its reference data, each file as a job; stores
// its definitions. May be done again: rows become what the pack says, those of others stay. Fails with
// pack_schema_refused, or pack_reference_failed when a row could not be loaded.
Result<Installed> install_pack(const Pack& pack, const CommonOptions& common, const std::stop_token& stop);

}  // namespace lade::cli
