#pragma once

#include <vector>

#include "api/route.h"
#include "store/files.h"

namespace lade::api {

// The file that the path names, when it is one that the caller sees.
Result<store::FileRecord> require_file(const Call& call);
// Whoever has such a link reads or writes the file in the bucket without lade.
std::vector<Route> file_link_routes();
// A link to a file's bytes. Fails with no_links where files are stored in a folder.
Result<http::Response> link_response(const Service& service, const store::FileRecord& file);

}  // namespace lade::api
