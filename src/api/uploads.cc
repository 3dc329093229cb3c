#include "api/uploads.h"

#include <fmt/format.h>

#include <algorithm>

#include "accounts/companies.h"
#include "api/paging.h"
#include "api/problem.h"
#include "definition/utf8.h"
#include "http/multipart.h"

namespace lade::api {
namespace {

constexpr std::size_t kLongestName = 1024;
constexpr std::size_t kLongestField = 64 * 1024;
constexpr std::uint64_t kFormBytes = 256 * 1024;  // of a form, beside its file

Error invalid(std::string message, std::string hint = {}) {
  return {"request_invalid", std::move(message), std::move(hint), ErrorKind::usage};
}

bool ends_with(std::string_view name, std::string_view end) {
  return name.size() >= end.size() && strncasecmp(name.data() + name.size() - end.size(), end.data(), end.size()) == 0;
}

Result<void> check_is_csv(std::string_view name, std::string_view type) {
  if (ends_with(name, ".csv") || type.starts_with("text/csv")) return {};
  return fail("media_type_unsupported", fmt::format("'{}' is no CSV file by its name, nor is {} its type", name, type),
              "send a file named *.csv, or of type text/csv", ErrorKind::usage);
}

Result<void> check_sent_as_workbook(std::string_view name, std::string_view type) {
  LADE_TRY(check_is_workbook(name));
  if (type.starts_with(kWorkbookType)) return {};
  return fail("media_type_unsupported", fmt::format("'{}' is sent as {}", name, type.empty() ? "nothing" : type),
              fmt::format("send it as {}", kWorkbookType), ErrorKind::usage);
}

class UploadSink final : public http::BodySink, private http::MultipartReader::Consumer {
 public:
  UploadSink(Asked asked, UploadRules rules, Then then, std::uint64_t most_bytes)
      : asked_(std::move(asked)), rules_(rules), then_(std::move(then)), most_bytes_(most_bytes) {}
  ~UploadSink() override {
    if (!kept_ && stored_) (void)asked_.service.storage().remove(stored_->id);
  }

  void expect_form(std::string boundary) { form_.emplace(std::move(boundary), static_cast<Consumer&>(*this)); }
  Result<void> expect_file(const std::string& name, std::string_view type) { return begin_file(name, type); }

  Result<void> write(std::string_view piece) override { return form_ ? form_->feed(piece) : upload_->write(piece); }
  http::Response finish() override { return answer_or_problem(asked_.request, finish_or_fail()); }

 private:
  Result<void> begin_file(const std::string& name, std::string_view type) {
    LADE_TRY(check_upload_name(name));
    if (rules_.only_csv) LADE_TRY(check_is_csv(name, type));
    if (rules_.only_workbooks) LADE_TRY(check_sent_as_workbook(name, type));
    LADE_ASSIGN(storage::Upload upload, asked_.service.storage().begin({.max_bytes = most_bytes_}));
    upload_.emplace(std::move(upload));
    name_ = name;
    return {};
  }

  // A form: one file, the rest are fields.
  Result<void> begin(const http::Part& part) override {
    part_ = part.name;
    in_file_ = part.name == "file";
    if (!in_file_) return field_names_ok(part);
    if (upload_) return fail(invalid("the form has two fields named file", "send one file at a time"));
    return begin_file(part.file_name.value_or(""), part.content_type);
  }
  Result<void> field_names_ok(const http::Part& part) {
    if (part.file_name)
      return fail(invalid(fmt::format("the form sends a file as '{}'", part.name), "the file's field is named file"));
    if (fields_.contains(part.name)) return fail(invalid(fmt::format("the field '{}' is given twice", part.name)));
    fields_[part.name] = "";
    return {};
  }
  Result<void> data(std::string_view piece) override {
    if (in_file_) return upload_->write(piece);
    boost::json::string& value = fields_[part_].as_string();
    if (value.size() + piece.size() > kLongestField)
      return fail(invalid(fmt::format("the field '{}' is longer than {} bytes", part_, kLongestField)));
    value.append(piece);
    return {};
  }
  Result<void> end() override { return {}; }

  Result<http::Response> finish_or_fail() {
    if (form_) LADE_TRY(form_->finish());
    if (!upload_) return fail(invalid("the form has no field named file", "send the file in a field named file"));
    LADE_ASSIGN(stored_, upload_->finish());
    const Asked& asked = asked_;
    Received received{{.uuid = stored_->id,
                       .storage = asked.service.storage().id(),
                       .name = name_,
                       .bytes = static_cast<std::int64_t>(stored_->bytes),
                       .sha256 = stored_->sha256,
                       .created_by = asked.who().user,
                       .company = asked.who().company,
                       .created_by_id = asked.who().user_id},
                      fields_};
    AuditNote note{{}, {{"file", name_}, {"bytes", received.file.bytes}, {"sha256", stored_->sha256}}};
    const std::string fingerprint = stored_->sha256 + boost::json::serialize(fields_);
    auto response =
        change(asked, fingerprint, note, [&](db::Connection& connection) { return then_(connection, received, note); });
    // A request that was carried out before has its own file.
    kept_ = response && response->status < 400 && !response->headers.has("Idempotent-Replay");
    return response;
  }

  const Asked asked_;
  const UploadRules rules_;
  const Then then_;
  const std::uint64_t most_bytes_;
  std::optional<http::MultipartReader> form_;
  std::string part_;
  bool in_file_ = false;
  boost::json::object fields_;
  std::string name_;
  std::optional<storage::Upload> upload_;
  std::optional<storage::StoredFile> stored_;
  bool kept_ = false;
};

// The name of a file that is sent as the body itself.
Result<std::string> name_in_query(const Asked& asked) {
  const auto parameters = http::parameters_of(asked.request.query);
  if (!parameters) return fail(invalid("the query of the address has a wrong percent escape"));
  const auto found = std::ranges::find(*parameters, "name", &std::pair<std::string, std::string>::first);
  return found == parameters->end() ? "upload" : found->second;
}

}  // namespace

Result<void> check_upload_name(std::string_view name) {
  if (name.size() > kLongestName) return fail(invalid(fmt::format("the file's name has {} bytes", name.size())));
  if (definition::find_invalid_utf8(name)) return fail(invalid("the file's name is no valid UTF-8"));
  return {};
}

Result<std::uint64_t> most_upload_bytes(const Asked& asked) {
  LADE_ASSIGN(const db::Pool::Lease session, asked.service.reading());
  LADE_ASSIGN(const auto company, accounts::require_company(*session, std::to_string(asked.who().company)));
  const std::uint64_t most = asked.service.options().most_upload_bytes;
  return company.max_upload_bytes ? std::min(most, static_cast<std::uint64_t>(*company.max_upload_bytes)) : most;
}

Result<void> check_is_workbook(std::string_view name) {
  if (ends_with(name, ".xlsx")) return {};
  return fail("media_type_unsupported", fmt::format("'{}' is not named *.xlsx", name), "send a workbook of that name",
              ErrorKind::usage);
}

Result<http::Reception> receive_upload(Asked asked, const UploadRules& rules, Then then) {
  const std::string type(asked.request.headers.get("Content-Type"));
  const bool is_form = type.starts_with("multipart/");
  if (rules.only_forms && !is_form)
    return fail("media_type_unsupported",
                fmt::format("{} takes multipart/form-data with a field named file", asked.route.name), "",
                ErrorKind::usage);
  LADE_ASSIGN(std::uint64_t most, most_upload_bytes(asked));
  if (rules.most_bytes > 0) most = std::min(most, rules.most_bytes);
  LADE_ASSIGN(const std::string name, name_in_query(asked));
  auto sink = std::make_unique<UploadSink>(std::move(asked), rules, std::move(then), most);
  if (!is_form) {
    LADE_TRY(sink->expect_file(name, type));
    return http::Reception(http::StreamedBody{most, std::move(sink)});
  }
  auto boundary = http::boundary_of(type);
  if (!boundary) return fail(invalid(fmt::format("'{}' is no multipart/form-data with a boundary", type)));
  sink->expect_form(std::move(*boundary));
  return http::Reception(http::StreamedBody{most + kFormBytes, std::move(sink)});
}

}  // namespace lade::api
