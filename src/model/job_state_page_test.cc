// docs/job-states.md is made from the table; the test prints what it should be when it is not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "model/job_state.h"

namespace lade::model {
namespace {

// A name that mermaid takes: "finished (failed)" → finished_failed.
std::string node(const JobStanding& standing) {
  std::string name(to_string(standing.state));
  if (standing.outcome) name += "_" + std::string(to_string(*standing.outcome));
  return name;
}

std::string diagram() {
  std::string text = "```mermaid\nstateDiagram-v2\n  [*] --> waiting_for_upload\n  [*] --> upload_completed\n";
  for (const JobTransition& transition : job_transitions())
    text += "  " + node(transition.from) + " --> " + node(transition.to) + ": " +
            std::string(to_string(transition.event)) + "\n";
  return text + "```\n";
}

std::string table() {
  std::string text = "| from | event | to | why |\n|---|---|---|---|\n";
  for (const JobTransition& transition : job_transitions())
    text += "| " + to_string(transition.from) + " | `" + std::string(to_string(transition.event)) + "` | " +
            to_string(transition.to) + " | " + std::string(transition.why) + " |\n";
  return text;
}

std::string page() {
  return "# The life of a job\n\n"
         "Made from the table in `src/model/job_state.cc`; the test `JobStatesPage` fails when they differ. What is "
         "not "
         "listed is\nrefused (`transition_refused`) and changes nothing. `paused` is a flag apart: it is honoured when "
         "tasks are claimed.\n"
         "A job made together with its file begins with upload_completed.\n\n" +
         diagram() + "\n" + table();
}

TEST(JobStatesPage, IsMadeFromTheTable) {
  const char* root = std::getenv("LADE_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "LADE_SOURCE_DIR names the folder of the sources";
  std::ifstream in(std::string(root) + "/docs/job-states.md", std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(in), {}};
  if (found != page()) FAIL() << "docs/job-states.md should be:\n" << page();
}

}  // namespace
}  // namespace lade::model
