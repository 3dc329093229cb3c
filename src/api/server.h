#pragma once

#include "api/dashboard.h"
#include "api/route.h"
#include "http/handler.h"

namespace lade::api {

// Answers requests by the table of routes, and those beside it with the dashboard: finds the route, checks who asks,
// runs it in a transaction with its entry in the audit log, and tells what went wrong as problem+json. The service
// outlives it.
class Server final : public http::Handler {
 public:
  explicit Server(Service& service) : service_(service), dashboard_(web_files()) {}

  http::Reception receive(http::Request& request) override;
  http::Response refuse(const http::Request* request, const Error& error) override;
  void done(const http::Request& request, int status, double seconds, std::uint64_t bytes_in,
            std::uint64_t bytes_out) override;

 private:
  Result<http::Reception> receive_or_fail(http::Request& request);
  Service& service_;
  const Dashboard dashboard_;
};

// Runs what changes something on a session that may write: in one transaction, durable when this returns, with an entry
// in the audit log, and once only when the request has a key for that. An answer that is an error changes nothing.
// `fingerprint` tells requests apart.
using Work = std::function<Result<http::Response>(db::Connection& connection)>;
struct AuditNote {  // filled in by the work
  std::string object_id;
  boost::json::object data;
};
Result<http::Response> change(const Asked& asked, std::string_view fingerprint, AuditNote& note, const Work& work);

// The answer, or the problem; what lade itself got wrong is logged.
http::Response answer_or_problem(const http::Request& request, Result<http::Response> response);

}  // namespace lade::api
