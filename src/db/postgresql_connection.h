#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>

#include "db/connection.h"
#include "db/statement_cache.h"

namespace lade::db {

class PostgresqlConnection final : public Connection {
 public:
  // `url` in any form libpq takes.
  static Result<std::unique_ptr<Connection>> open(const std::string& url);

  Backend backend() const override { return Backend::postgresql; }
  Result<void> run(std::string_view sql) override;
  Result<std::int64_t> execute(std::string_view sql, std::span<const Value> parameters) override;
  Result<std::vector<Row>> query(std::string_view sql, std::span<const Value> parameters) override;
  Result<std::int64_t> copy_in(const std::string& quoted_table, std::span<const std::string> columns,
                               TupleSource& rows) override;
  Result<void> copy_out(std::string_view select, const std::function<Result<void>(std::string_view)>& row) override;
  Result<void> check_deferred() override;
  Result<std::optional<Table>> describe(std::string_view name) override;
  Result<std::vector<std::string>> table_names() override;
  Result<std::vector<std::string>> wait_notified(std::chrono::milliseconds timeout, int descriptor) override;
  bool in_transaction() const override;
  bool usable() override;
  const Diagnosis& diagnosis() const override { return diagnosis_; }
  void interrupt() override;

 private:
  struct Free {
    void operator()(PGconn* session) const { PQfinish(session); }
    void operator()(PGresult* answer) const { PQclear(answer); }
    void operator()(PGcancel* cancel) const { PQfreeCancel(cancel); }
    void operator()(char* row) const { PQfreemem(row); }
  };
  using Session = std::unique_ptr<PGconn, Free>;
  using Answer = std::unique_ptr<PGresult, Free>;

  // A statement prepared on the server; its destructor lets the server forget it with the next statement.
  class Prepared {
   public:
    Prepared(PostgresqlConnection& connection, std::string name) : connection_(&connection), name_(std::move(name)) {}
    Prepared(Prepared&& other) noexcept
        : connection_(std::exchange(other.connection_, nullptr)), name_(std::move(other.name_)) {}
    Prepared& operator=(Prepared&&) = delete;
    ~Prepared() {
      if (connection_ != nullptr) connection_->forgotten_.push_back(std::move(name_));
    }
    const std::string& name() const { return name_; }

   private:
    PostgresqlConnection* connection_;
    std::string name_;
  };

  explicit PostgresqlConnection(Session session);

  Result<Answer> perform(std::string_view sql, std::span<const Value> parameters);
  Result<Answer> perform_once(std::string_view sql, std::span<const Value> parameters);
  Result<const Prepared*> prepare(std::string_view sql);
  // Keeps what the server said (`answer` may be null: then the connection's own words) and gives it as an error.
  Error refusal(const PGresult* answer, std::string_view copied_table = {});
  // Takes all answers that are left. Gives the number of rows of the last one, or the first error.
  Result<std::int64_t> finish(std::string_view copied_table = {});
  Result<void> send_tuples(TupleSource& rows, std::size_t columns);
  void drop_tuples();
  // Channels whose notifications have arrived.
  std::vector<std::string> take_notified();
  Result<void> receive_tuples(const std::function<Result<void>(std::string_view)>& row);
  Result<std::vector<Column>> describe_columns(std::int64_t table);
  Result<std::vector<UniqueIndex>> describe_unique_indexes(std::int64_t table);

  Session session_;
  std::unique_ptr<PGcancel, Free> cancel_;
  Diagnosis diagnosis_;
  std::vector<std::string> forgotten_;  // names of statements to be deallocated
  StatementCache<Prepared> statements_;
  std::int64_t prepared_count_ = 0;
};

}  // namespace lade::db
