#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_map>

#include "db/connection.h"
#include "db/values.h"
#include "definition/parse.h"
#include "jobs/import.h"

// bench_harvest DATABASE FOLDER [PAGES [AT_ONCE]]: a whole import whose rows name pages of a site on this machine,
// which keeps up: fetched, stored as evidence, five fields of each taken out, loaded. The database is empty; FOLDER
// gets lade's files. The site is a process of its own. CPU seconds are told beside the time that passed: they count
// where others use the machine, too; with PostgreSQL its server's come on top.
namespace {

using namespace lade;
using Clock = std::chrono::steady_clock;

constexpr const char* kDefinition = R"(lade: 1
definition: bench_pages
steps:
  fetch: {{priority: 10, url: url, key: code, per_host: {{per_minute: 0, at_once: {0}}}, total: {{at_once: {0}}}}}
  extract:
    priority: 20
    fields:
      title: {{css: h1, required: true}}
      composer: {{xpath: "//tr[th='Composer']/td", required: true}}
      raga: {{css: "tr:nth-child(2) > td"}}
      lines: {{css: ".lyrics p", list: true, separator: " / "}}
      link: {{css: "a[rel=next]", attribute: href}}
columns: {{code: {{type: integer}}, title: , composer: , raga: , lines: , link: }}
load: [{{table: composition, key: code, strategy: append}}]
)";

std::string page_of(const std::string& path) {
  std::string body = fmt::format(
      "<!doctype html><html><head><title>{0}</title></head><body><h1>Composition {0}</h1><table><tr><th>Composer</th>"
      "<td>Tyāgarāja</td></tr><tr><th>Raga</th><td>Kharaharapriyā</td></tr></table><div class=\"lyrics\">",
      path);
  for (int line = 0; line < 20; ++line)
    body += fmt::format(
        "<p>Line {} of composition {}, with some <b>words</b> and <i>more words</i> to be read, and "
        "<a href=\"/other\">a link</a> &amp; an entity.</p>\n",
        line, path);
  body += "</div><a rel=\"next\" href=\"/next\">next</a></body></html>";
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n{}",
                     body.size(), body);
}

int listen_on_loopback(int& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(listener, 1024) != 0)
    std::abort();
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return listener;
}

// Answers requests one after another, whoever sends them; never returns.
[[noreturn]] void serve(int listener) {
  const int events = epoll_create1(0);
  const auto watch = [&](int socket) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = socket}};
    epoll_ctl(events, EPOLL_CTL_ADD, socket, &event);
  };
  watch(listener);
  std::unordered_map<int, std::string> heads;
  char buffer[16384];
  for (;;) {
    epoll_event ready[256];
    const int count = epoll_wait(events, ready, 256, -1);
    for (int i = 0; i < count; ++i) {
      const int socket = ready[i].data.fd;
      if (socket == listener) {
        const int connection = accept(listener, nullptr, nullptr);
        const int yes = 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        watch(connection);
        continue;
      }
      const ssize_t got = recv(socket, buffer, sizeof buffer, 0);
      std::string& head = heads[socket];
      if (got <= 0) {
        heads.erase(socket);
        close(socket);
        continue;
      }
      head.append(buffer, static_cast<std::size_t>(got));
      if (head.find("\r\n\r\n") == std::string::npos) continue;
      const std::string path = head.substr(5, head.find(' ', 5) - 5);
      head.clear();
      const std::string answer = path == "robots.txt" ? "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n" : page_of(path);
      for (std::size_t sent = 0; sent < answer.size();) {
        const ssize_t more = send(socket, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (more <= 0) break;
        sent += static_cast<std::size_t>(more);
      }
    }
  }
}

double cpu_seconds(const rusage& used) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double value_of(db::Connection& connection, const std::string& sql) {
  const auto rows = connection.query(sql);
  return rows && !rows->empty() ? static_cast<double>(db::integer_of(rows->front().front())) : 0;
}

int run(const std::string& database, const std::filesystem::path& folder, int pages, int at_once, int port) {
  std::filesystem::create_directories(folder);
  const std::string file = folder / "manifest.csv";
  {
    std::ofstream manifest(file);
    manifest << "code,url\n";
    for (int i = 1; i <= pages; ++i) manifest << i << ",http://127.0.0.1:" << port << '/' << i << '\n';
  }
  const auto connection = db::connect(database);
  if (!connection || !(*connection)
                          ->run("CREATE TABLE composition (code integer, title text, composer text, raga text, "
                                "lines text, link text)")) {
    fmt::print(stderr, "the database cannot be used, or is not empty\n");
    return 1;
  }
  const std::string text = fmt::format(fmt::runtime(kDefinition), at_once);
  const auto parsed = definition::parse_definition(text);
  jobs::ImportOptions options;
  options.database = database;
  options.data = folder / "data";
  options.harvest.allow = {"127.0.0.1"};
  options.harvest.ports = {static_cast<std::uint16_t>(port)};
  options.harvest.total_at_once = at_once;
  jobs::Progress progress;
  const auto begin = Clock::now();
  const auto summary = jobs::run_import(file, parsed.definition, text, options, progress, {});
  const double whole = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!summary || summary->outcome != "succeeded" || summary->rows[model::Outcome::inserted] != pages) {
    fmt::print(stderr, "{}\n", summary ? jobs::to_json(*summary) : summary.error().message);
    return 1;
  }
  const double fetching =
      value_of(**connection, "SELECT max(completed_at) - min(started_at) FROM lade_page") / 1'000'000;
  fmt::print(
      "{} pages, {} at once: fetched, kept and taken apart in {:.1f} s ({:.0f} pages/s); the whole import {:.1f} "
      "s ({:.0f} pages/s), peak memory {} MB\n",
      pages, at_once, fetching, pages / fetching, whole, pages / whole, summary->peak_rss_bytes >> 20);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    fmt::print(stderr, "bench_harvest DATABASE FOLDER [PAGES [AT_ONCE]]\n");
    return 2;
  }
  int port = 0;
  const int listener = listen_on_loopback(port);
  const pid_t site = fork();
  if (site == 0) serve(listener);
  close(listener);
  const int code =
      run(words[1], words[2], count > 3 ? std::atoi(words[3]) : 10'000, count > 4 ? std::atoi(words[4]) : 64, port);
  rusage own{}, of_site{};
  getrusage(RUSAGE_SELF, &own);
  kill(site, SIGKILL);
  wait4(site, nullptr, 0, &of_site);
  if (code == 0) fmt::print("CPU: lade {:.1f} s, the site {:.1f} s\n", cpu_seconds(own), cpu_seconds(of_site));
  return code;
}
