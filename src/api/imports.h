#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/manifest.h"
#include "api/route.h"
#include "api/uploads.h"
#include "definition/parse.h"
#include "jobs/control.h"
#include "jobs/import.h"
#include "store/job_list.h"

// What the routes about imports share.
namespace lade::api {

// A filter for the imports that somebody sees.
store::JobFilter visible_imports(const accounts::Principal& who);
// The import that the path names, if the one who asks may see it; otherwise job_not_found.
Result<store::JobRecord> require_import(const Asked& asked, db::Connection& connection);
// The same as an order by who asks.
jobs::JobOrder order_of(const Asked& asked);
// Whether nobody of the company approves what they have brought themselves.
Result<bool> needs_four_eyes(const Asked& asked, db::Connection& connection);
// Whether who asks may have an import reviewed less strictly than its definition wants: as good as approving it.
Result<bool> may_relax_review(const Asked& asked, db::Connection& connection);
// The ETag of what a reviewer has seen.
std::string revision_tag(const store::JobRecord& job);

// What who asks has seen of it: If-Match, or `revision` in the body; nullopt when neither is there.
Result<std::optional<std::int64_t>> seen_revision(Call& call);

// What a request says about the import, whether in a form, in JSON or in the address.
struct Wishes {
  std::string definition;  // empty: by the manifest, or the one that fits the file's header
  std::optional<std::int64_t> version;
  jobs::ImportOptions options;
  definition::Limits limits;
};
Result<Wishes> read_wishes(const Asked& asked, Fields& fields);
// The file of that id, if the one who asks may see it; otherwise file_not_found.
Result<store::FileRecord> file_of(const Asked& asked, db::Connection& connection, const std::string& id);
// What every import of who asks has.
jobs::ImportOptions options_of(const Asked& asked);
// The manifest's definition and sheet.
void obey(const ManifestEntry& entry, Wishes& wishes);
// Makes a job of a recorded file and tells of it, or of the job that does the same.
Result<http::Response> import_file(const Asked& asked, db::Connection& connection, Wishes wishes,
                                   const store::FileRecord& file, AuditNote& note);

// What people do to imports (import_actions.cc), to single rows of them (rows.cc) and to failed ones (fixes.cc); where
// stored rows come from (lineage.cc).
std::vector<Route> import_action_routes();
std::vector<Route> row_routes();
// What the dashboard shows of them: rows with their cells (grid.cc), issues and parts as a whole (job_charts.cc).
std::vector<Route> grid_routes();
std::vector<Route> chart_routes();
std::vector<Route> diff_routes();
std::vector<Route> fix_routes();
std::vector<Route> lineage_routes();

// Takes a file and what is said about its import, in the address and in the form; `then` runs in the transaction that
// accepts it, with the file recorded.
using WithWishes = std::function<Result<http::Response>(db::Connection& connection, Wishes wishes,
                                                        const store::FileRecord& file, AuditNote& note)>;
Result<http::Reception> receive_wishes(Asked asked, const UploadRules& rules, WithWishes then);
// Takes a file and makes a job of it; `answer` tells about the job.
Result<http::Reception> receive_import(Asked asked, const UploadRules& rules,
                                       std::function<http::Response(const store::JobRecord&)> answer);

}  // namespace lade::api
