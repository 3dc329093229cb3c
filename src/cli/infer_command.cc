#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "drafting/from_file.h"
#include "drafting/from_schema.h"
#include "jobs/import.h"
#include "source/column_evidence.h"

namespace lade::cli {
namespace {

struct InferCommand {
  std::string file;
  std::string table;
  std::string schema;
};

Result<drafting::Draft> draft_from(const InferCommand& command) {
  if (!command.schema.empty()) {
    LADE_ASSIGN(const std::string text, read_all(command.schema));
    auto draft = drafting::draft_from_schema(text, command.file, command.table);
    if (!draft) return fail(std::move(draft).error().within(command.schema));
    return draft;
  }
  if (command.file.empty())
    return fail("option_invalid", "neither a file nor --schema is given", "lade definitions infer FILE",
                ErrorKind::usage);
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = ".";
  LADE_ASSIGN(const source::Input input, source::open_input(command.file, folder, jobs::ImportOptions().max_bytes));
  LADE_ASSIGN(const source::Layout layout, source::recognise(input, {}));
  LADE_ASSIGN(const auto columns, source::column_evidence(input, layout));
  return drafting::draft_from_file(input, layout, columns, command.table);
}

}  // namespace

void add_infer_command(CLI::App& definitions, CommonOptions& common, Action& action) {
  auto command = std::make_shared<InferCommand>();
  CLI::App* sub = definitions.add_subcommand("infer", "Draft a definition from what a file or a schema shows");
  sub->add_option("FILE", command->file, "the file; - reads standard input");
  sub->add_option("--table", command->table, "target table (default: named like the file)");
  sub->add_option("--schema", command->schema, "Frictionless Table Schema or datapackage.json to draft from instead");
  sub->callback([command, &common, &action] {
    action = [command, &common] {
      const auto draft = draft_from(*command);
      if (!draft) return report(draft.error(), common.output);
      fmt::print("{}", drafting::to_yaml(*draft));
      return int{kOk};
    };
  });
}

}  // namespace lade::cli
