#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "cli/remote_site.h"
#include "jobs/import.h"
#include "jobs/run_fix.h"

namespace lade::cli {

// Imports by a server: it gets the file, and this program looks on.
class RemoteImporter {
 public:
  // A definition that is a file is stored on the server first, unless it has it already; for a slug the server's newest
  // version is taken. The arguments outlive the importer.
  static Result<std::unique_ptr<RemoteImporter>> open(const std::string& server, const std::string& definition,
                                                      const jobs::ImportOptions& options, const CommonOptions& common,
                                                      const std::stop_token& stop);

  // For jobs that are there already.
  static Result<std::unique_ptr<RemoteImporter>> open(const std::string& server, const jobs::ImportOptions& options,
                                                      const CommonOptions& common, const std::stop_token& stop);

  // Sends the file, showing how much of it is sent.
  Result<jobs::SubmittedJob> submit(const std::string& file);
  // The same, then shows the job until it has ended or waits for review, and brings its results. A stop cancels the
  // job. As with jobs::run_import() an error means that nothing was begun.
  Result<jobs::Summary> run(const std::string& file);
  // Sends rows to be fixed, or the corrected failed file, and shows the job likewise.
  Result<jobs::Summary> fix(const jobs::FixDemand& demand);

 private:
  RemoteImporter(const jobs::ImportOptions& options, const CommonOptions& common, std::stop_token stop)
      : options_(options), common_(common), stop_(std::move(stop)) {}
  Result<void> choose_definition(const std::string& name);
  Result<store::JobRecord> send(const std::string& file);
  Result<store::JobRecord> follow(const store::JobRecord& sent);
  Result<jobs::Summary> summary_of(const store::JobRecord& job);

  const jobs::ImportOptions& options_;
  const CommonOptions& common_;
  const std::stop_token stop_;
  std::unique_ptr<RemoteSite> site_;
  std::string definition_;    // slug
  std::int64_t version_ = 0;  // 0: the newest
};

}  // namespace lade::cli
