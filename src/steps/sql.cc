#include <fmt/format.h>

#include <algorithm>

#include "steps/job_table.h"
#include "steps/kinds.h"

namespace lade::steps {
namespace {

using analysis::StepRows;
using definition::Step;

class SqlStep final : public analysis::Step {
 public:
  SqlStep(const definition::Step& step, const analysis::Program& program, std::string analyse, std::string process)
      : code_(step.code), analyse_(std::move(analyse)), process_(std::move(process)), table_(program, step.priority) {
    for (std::size_t i = 0; i < program.columns.size(); ++i) {
      const definition::DataColumn& column = program.columns[i].column;
      if (column.step == step.code && column.purpose != definition::DataColumn::Purpose::source_input)
        filled_.push_back(static_cast<int>(i));
    }
  }

  bool needs_job() const override { return true; }
  bool processes() const override { return !process_.empty(); }

  Result<void> analyse(StepRows& rows) const override {
    db::Connection& connection = rows.connection();
    LADE_ASSIGN(const std::string name, table_.create(connection, rows.job()));
    LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection));
    LADE_TRY(table_.put(connection, name, rows));
    if (!analyse_.empty()) {
      std::vector<std::int64_t> ids;
      for (std::size_t row = 0; row < rows.size(); ++row)
        if (!rows.is_refused(row)) ids.push_back(rows.row_id(row));
      LADE_TRY(call(connection, analyse_, rows.job(), ids));
      LADE_TRY(table_.read_back(connection, name, filled_, rows));
    }
    return transaction.commit();
  }

  Result<std::vector<RefusedRow>> process(db::Connection& connection, std::int64_t job,
                                          std::span<const std::int64_t> row_ids) const override {
    std::vector<RefusedRow> refused;
    LADE_ASSIGN(const std::string name, JobTable::name_of(connection, job));
    LADE_TRY(process_some(connection, job, row_ids, refused));
    LADE_ASSIGN(auto said, JobTable::refused_rows(connection, name, row_ids));
    std::ranges::move(said, std::back_inserter(refused));
    return refused;
  }

 private:
  Result<void> call(db::Connection& connection, const std::string& procedure, std::int64_t job,
                    std::span<const std::int64_t> row_ids) const {
    const db::Value parameters[] = {job, JobTable::array_of(row_ids), code_};
    LADE_TRY(connection.execute(fmt::format("CALL {}($1::integer, $2::integer[], $3)", procedure), parameters));
    return {};
  }

  // Rows that make the procedure fail are found by halving; the others are processed.
  Result<void> process_some(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> row_ids,
                            std::vector<RefusedRow>& refused) const {
    if (row_ids.empty()) return {};
    LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection));
    auto called = call(connection, process_, job, row_ids);
    if (called) return savepoint.release();
    const std::string sqlstate = connection.diagnosis().sqlstate;
    const std::string message = connection.diagnosis().message;
    LADE_TRY(savepoint.rollback());
    const bool about_data = std::ranges::any_of(std::initializer_list<std::string_view>{"22", "23", "44", "54", "P0"},
                                                [&](std::string_view group) { return sqlstate.starts_with(group); });
    if (!about_data) return fail(std::move(called).error());
    if (row_ids.size() == 1) {
      refused.push_back({row_ids.front(), {model::Severity::error, "sql_step", {}, {}, message, "correct the row"}});
      return {};
    }
    const std::size_t half = row_ids.size() / 2;
    LADE_TRY(process_some(connection, job, row_ids.first(half), refused));
    return process_some(connection, job, row_ids.subspan(half), refused);
  }

  const std::string code_;
  const std::string analyse_, process_;  // procedures, quoted; empty: there is none
  const JobTable table_;
  std::vector<int> filled_;  // columns that the procedure fills
};

class SqlKind final : public StepKind {
 public:
  std::string_view name() const override { return "sql"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"analyse_procedure", "process_procedure"};
    return kOptions;
  }

  void check(const Step& step, const definition::Definition&, definition::Faults& faults) const override {
    if (option(step, "analyse_procedure").empty() && option(step, "process_procedure").empty())
      faults.error({step.line, 1}, "definition_missing_key",
                   fmt::format("steps.{}: analyse_procedure, process_procedure or both are needed", step.code));
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    if (expansion.connection().backend() != db::Backend::postgresql)
      return fail("sql_step_needs_postgresql",
                  fmt::format("step '{}' calls procedures, which SQLite does not have", step.code),
                  "use a PostgreSQL database, or another kind of step", ErrorKind::invalid);
    LADE_TRY(procedure(step, "analyse_procedure", expansion.connection()));
    LADE_TRY(procedure(step, "process_procedure", expansion.connection()));
    return {};
  }

  Result<std::shared_ptr<const analysis::Step>> analyse_half(const Step& step, const analysis::Program& program,
                                                             const Surroundings& here) const override {
    LADE_ASSIGN(std::string analyse, procedure(step, "analyse_procedure", here.connection));
    LADE_ASSIGN(std::string process, procedure(step, "process_procedure", here.connection));
    return std::make_shared<const SqlStep>(step, program, std::move(analyse), std::move(process));
  }

 private:
  // The procedure as the catalogue spells it; empty when the step names none.
  static Result<std::string> procedure(const Step& step, std::string_view key, db::Connection& connection) {
    const std::string name = option(step, key);
    if (name.empty()) return name;
    const db::Value signature = name + "(integer,integer[],text)";
    LADE_ASSIGN(const auto found,
                connection.query("SELECT oid::regproc::text FROM pg_proc WHERE prokind = 'p' AND oid = "
                                 "to_regprocedure($1)",
                                 {&signature, 1}));
    if (!found.empty()) return std::get<std::string>(found.front().front());
    return fail(
        "procedure_not_found",
        fmt::format("step '{}': the database has no procedure {} with the parameters (integer, integer[], text)",
                    step.code, name),
        "create it; it gets the job's id, row ids and the step's code", ErrorKind::invalid);
  }
};

}  // namespace

const StepKind& sql() {
  static const SqlKind kKind;
  return kKind;
}

}  // namespace lade::steps
