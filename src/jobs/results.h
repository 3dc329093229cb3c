#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "jobs/corrections.h"
#include "jobs/job.h"

namespace lade::jobs {

// What became of a job's rows: what findings say, and for rows without any, what became of their chunk.
struct Verdicts {
  const staging::IssueLog& findings;
  std::vector<model::Outcome> untold;        // by chunk: unchanged for loaded, unprocessed for not reached
  const Corrections* corrections = nullptr;  // null: no row was corrected
};

// A file of result rows: made with the first of them.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual Result<ByteSink*> open() = 0;
};
struct ResultSinks {
  ResultSink& failed;
  ResultSink& succeeded;
  ResultSink& unprocessed;
};

// Writes the source's rows in its own column order plus _row, _code and _message (one line), in its own format or the
// one that the job's options name: failed rows, and all others too when the options say so. A corrected row stands
// there as it is now.
Result<void> write_results(const Job& job, const Verdicts& verdicts, const ResultSinks& sinks);

// The name of such a file: failed.csv or failed.xlsx, after the prefix that the job's options have.
std::string result_name(const Job& job, std::string_view purpose);

// Paths of result files; empty where there is none.
struct ResultFiles {
  std::string succeeded, failed, unprocessed;
};
// The same into files of a folder that is there, each whole or not at all.
Result<ResultFiles> write_result_files(const Job& job, const Verdicts& verdicts, const std::filesystem::path& folder);
// Names them in the summary; a job whose files cannot be brought has failed for who waits for them.
void add_result_files(Summary& summary, Result<ResultFiles> files);

// Every finding as a line of JSON.
Result<void> write_issue_file(const std::filesystem::path& path, const staging::IssueLog& findings);

}  // namespace lade::jobs
