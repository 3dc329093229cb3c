#pragma once

#include <map>
#include <string>

#include "base/file.h"
#include "harvest/fetch.h"
#include "storage/storage.h"
#include "store/pages.h"

// Pages that another job of the company has kept: they are asked for only if they have changed, and otherwise taken
// from its evidence.
namespace lade::jobs {

// The page is wanted only if it has changed since. Nothing is asked of versions without ETag and date, and of those
// that are larger than the page may be.
void ask_conditionally(const store::KnownVersion& known, harvest::FetchRequest& request);

// Reads bodies back from evidence; keeps its files open meanwhile.
class KnownBodies {
 public:
  explicit KnownBodies(const storage::Storage& storage) : storage_(storage) {}
  // A page that has not changed gets its body and the headers that were sent with it. Fails as the storage does, and
  // with stored_file_damaged when the body is not the one that was kept.
  Result<void> restore(const store::KnownVersion& known, harvest::Fetched& page, std::string& body);

 private:
  Result<const File*> open(const std::string& id);

  const storage::Storage& storage_;
  std::map<std::string, File> files_;
};

}  // namespace lade::jobs
