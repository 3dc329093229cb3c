#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>

#include "accounts/links.h"
#include "api/manifest.h"
#include "api/server.h"
#include "api/service.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/settings.h"
#include "cli/stop_on_signal.h"
#include "cli/usage.h"
#include "http/server.h"

namespace lade::cli {
namespace {

constexpr std::chrono::seconds kDrain{8};

struct ServeCommand {
  http::ServerOptions http;
  std::string certificate, key;
  std::optional<unsigned> workers;
  std::uint64_t most_upload_bytes = 10'000'000'000;
  std::filesystem::path import_folder, manifest;
  LogFormat log = LogFormat::json;
};

Result<api::ServiceOptions> service_options(const ServeCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const NamedSettings named, named_settings(common));
  api::ServiceOptions options;
  jobs::WorkOptions& work = options.work;
  LADE_ASSIGN(work.settings, queue::read_settings(named));
  if (command.workers) options.works = *command.workers > 0;
  if (command.workers && options.works) work.settings.concurrency = *command.workers;
  work.here.database = common.database_url();
  LADE_TRY(set_place(common, work.here));
  work.name = fmt::format("{} ({})", host_name(), getpid());
  work.report = [](const Error& error) {
    log(LogLevel::warning, "node_error", {{"code", error.code}, {"message", error.message}});
  };
  LADE_TRY(apply(named, work.here));
  LADE_TRY(set_mirror(named, work.here));
  LADE_TRY(apply(named, work.deliveries));
  work.here.workers = static_cast<unsigned>(work.settings.concurrency);
  LADE_TRY(work.here.validate());
  options.most_upload_bytes = command.most_upload_bytes;
  LADE_ASSIGN(options.link_expires, link_expires(named));
  options.sessions = command.http.handler_threads;
  const std::filesystem::path data = common.data;
  options.import_folder = command.import_folder.empty() ? data / "incoming" : command.import_folder;
  options.manifest = command.manifest.empty() ? data / "import-manifest.json" : command.manifest;
  LADE_TRY(api::Manifest::read(options.manifest));  // faults are told now rather than to the first client
  return options;
}

// Browsers keep secure cookies of an unencrypted server only when it is called localhost.
std::string address_for_people(std::string address) {
  constexpr std::string_view kLoopback = "http://127.0.0.1:";
  if (address.starts_with(kLoopback)) address.replace(0, kLoopback.size(), "http://localhost:");
  return address;
}

// While nobody can sign in, whoever reads this terminal becomes the first admin.
Result<void> invite(api::Service& service, const std::string& address) {
  LADE_ASSIGN(const db::Pool::Lease session, service.writing());
  LADE_ASSIGN(const auto link, accounts::invite_first_admin(*session));
  if (link)
    fmt::print(stderr,
               "Nobody can sign in yet. The first admin chooses a password, once, within 24 hours, at\n"
               "  {}/welcome/{}\n"
               "or without a browser:\n"
               "  curl -H 'Content-Type: application/json' {}/api/v1/auth/link -d "
               "'{{\"link\": \"{}\", \"password\": \"…\"}}'\n",
               address_for_people(address), *link, address, *link);
  return {};
}

Result<void> serve(const ServeCommand& command, const CommonOptions& common, const std::stop_token& stop) {
  http::ServerOptions options = command.http;
  if (!command.certificate.empty()) options.tls = http::Tls{command.certificate, command.key};
  LADE_ASSIGN(const api::ServiceOptions service_is, service_options(command, common));
  LADE_ASSIGN(const std::unique_ptr<api::Service> service, api::Service::start(service_is, stop));
  api::Server handler(*service);
  LADE_ASSIGN(const std::unique_ptr<http::Server> server, http::Server::start(options, handler));
  const std::string address =
      fmt::format("{}://{}:{}", options.tls ? "https" : "http", options.address, server->port());
  LADE_TRY(invite(*service, address));
  if (!common.quiet)
    fmt::print(stderr, "lade serves {} at {}\n", db::without_password(service_is.work.here.database), address);
  log(LogLevel::info, "serving",
      {{"address", address}, {"workers", std::to_string(service_is.works ? service_is.work.settings.concurrency : 0)}});
  wait_for(stop);
  log(LogLevel::info, "draining", {});
  service->stop_events();
  const bool drained = server->drain(kDrain);
  log(drained ? LogLevel::info : LogLevel::warning, "drained", {{"complete", drained ? "true" : "false"}});
  return {};
}

// Every client that watches a job holds a descriptor.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int run(const ServeCommand& command, const CommonOptions& common) {
  set_log(command.log);
  raise_descriptor_limit();
  StopOnSignal stop;
  const auto served = serve(command, common, stop.token());
  if (!served && served.error().kind != ErrorKind::cancelled) return report(served.error(), common.output);
  return kOk;
}

void add_options(CLI::App& sub, ServeCommand& command) {
  sub.add_option("--listen", command.http.address,
                 "address to listen on; another than this machine's own needs TLS in front or by --tls-certificate")
      ->capture_default_str();
  sub.add_option("--port", command.http.port, "0: any that is free")->capture_default_str();
  sub.add_option("--workers", command.workers,
                 "threads that work on jobs; 0: other processes do (default: QUEUE_CONCURRENCY, or 4)");
  CLI::Option* certificate =
      sub.add_option("--tls-certificate", command.certificate, "PEM file with the certificate and its chain");
  sub.add_option("--tls-key", command.key, "PEM file with its key")->needs(certificate);
  sub.add_option("--max-upload-bytes", command.most_upload_bytes, "largest upload")->capture_default_str();
  sub.add_option("--import-folder", command.import_folder,
                 "folder of files to be imported by name, with a folder for each company (default: DATA/incoming)");
  sub.add_option("--manifest", command.manifest,
                 "which definitions files follow by their names (default: DATA/import-manifest.json)")
      ->envname("LADE_IMPORT_MANIFEST");
  sub.add_option("--threads", command.http.handler_threads,
                 "requests that are worked on at once, and sessions with the database")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  sub.add_option("--max-connections-per-address", command.http.limits.connections_per_address, "of one client")
      ->capture_default_str();
  sub.add_option("--log", command.log, "what goes to standard error: json, text or none (default: json)")
      ->transform(one_of({{"json", static_cast<int>(LogFormat::json)},
                          {"text", static_cast<int>(LogFormat::text)},
                          {"none", static_cast<int>(LogFormat::none)}}))
      ->type_name("FORMAT");
}

}  // namespace

void add_serve_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<ServeCommand>();
  CLI::App* sub = app.add_subcommand("serve", "Serve the API over HTTP, and work on jobs");
  add_place_options(*sub, common);
  add_settings_option(*sub, common);
  add_redis_option(*sub, common);
  sub->add_flag("--quiet", common.quiet, "say nothing but what is logged");
  add_options(*sub, *command);
  sub->footer(
      "SIGINT and SIGTERM stop it: running requests finish, running tasks are given back. The first start prints a "
      "one-time link for the first admin. /openapi.json describes the API; docs/operations.md tells how to operate "
      "it.\n"
      "Example: lade serve --port 8080");
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace lade::cli
