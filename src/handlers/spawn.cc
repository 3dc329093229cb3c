#include "handlers/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lade::handlers {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr int kFirstPipe = 10;  // pipes are above the numbers that the child uses
constexpr int kStatus = 3;      // where the child tells that it could not be started
constexpr int kPipeBytes = 1 << 20;

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> make_pipe(const Handler& handler) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fail("handler_not_started", fmt::format("{}: no pipe: {}", handler.name, std::strerror(errno)));
  const Pipe low{Descriptor(ends[0]), Descriptor(ends[1])};
  Pipe pipe{Descriptor(fcntl(ends[0], F_DUPFD_CLOEXEC, kFirstPipe)),
            Descriptor(fcntl(ends[1], F_DUPFD_CLOEXEC, kFirstPipe))};
  if (!pipe.read.is_open() || !pipe.write.is_open())
    return fail("handler_not_started", fmt::format("{}: no pipe: {}", handler.name, std::strerror(errno)));
  (void)fcntl(pipe.write.number(), F_SETPIPE_SZ, kPipeBytes);  // only faster; the system may refuse it
  return pipe;
}

void do_not_block(const Descriptor& end) {
  (void)fcntl(end.number(), F_SETFL, fcntl(end.number(), F_GETFL) | O_NONBLOCK);
}

struct Limit {
  decltype(RLIMIT_AS) resource;
  rlim_t most;
};

std::vector<Limit> limits_of(const Handler& handler) {
  const Limits& limits = handler.limits;
  std::vector<Limit> all{{RLIMIT_CORE, 0},
                         {RLIMIT_CPU, limits.cpu_seconds},
                         {RLIMIT_FSIZE, limits.file_bytes},
                         {RLIMIT_NOFILE, limits.open_files}};
  if (!(kSanitized && handler.is_lua)) all.push_back({RLIMIT_AS, limits.memory_bytes});
  if (limits.processes > 0) all.push_back({RLIMIT_NPROC, limits.processes});
  return all;
}

// All that the child needs, made before it exists: between fork and exec it may not ask for memory.
struct Launch {
  std::vector<char*> arguments, environment;
  std::vector<std::string> texts;
  std::vector<Limit> limits;
  const char* folder;
  int input, output, errors, status;
  pid_t parent;
};

void close_from(int first) {
  if (syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  for (int number = first; number < static_cast<int>(most.rlim_cur); ++number) ::close(number);
}

void refuse(int problem) {
  (void)!write(kStatus, &problem, sizeof problem);
  _exit(127);
}

// In the child. Only calls that are safe after fork().
[[noreturn]] void become(const Launch& launch) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(127);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(launch.input, 0);
  dup2(launch.output, 1);
  dup2(launch.errors, 2);
  dup3(launch.status, kStatus, O_CLOEXEC);
  close_from(kStatus + 1);
  if (chdir(launch.folder) != 0) refuse(errno);
  for (const Limit& limit : launch.limits) {
    // What is limited further already stays so.
    rlimit now{};
    getrlimit(limit.resource, &now);
    const rlim_t most = std::min(limit.most, now.rlim_max);
    const rlimit wanted{most, most};
    if (setrlimit(limit.resource, &wanted) != 0) refuse(errno);
  }
  execve(launch.arguments.front(), launch.arguments.data(), launch.environment.data());
  refuse(errno);
  _exit(127);
}

Launch launch_of(const Handler& handler) {
  Launch launch{};
  for (const auto& [name, value] : handler.environment) launch.texts.push_back(name + "=" + value);
  for (const std::string& word : handler.command) launch.arguments.push_back(const_cast<char*>(word.c_str()));
  for (std::string& text : launch.texts) launch.environment.push_back(text.data());
  launch.arguments.push_back(nullptr);
  launch.environment.push_back(nullptr);
  launch.limits = limits_of(handler);
  launch.folder = handler.folder.c_str();
  launch.parent = getpid();
  return launch;
}

Error not_started(const Handler& handler, int problem) {
  return {"handler_not_started",
          fmt::format("the handler '{}' cannot be started: {}: {}", handler.name, handler.command.front(),
                      std::strerror(problem)),
          "check its command in the file of handlers, and that the program may be run"};
}

// What the child tells before it becomes the program: nothing when it has.
int problem_of(const Descriptor& status) {
  int problem = 0;
  ssize_t count = 0;
  do count = read(status.number(), &problem, sizeof problem);
  while (count < 0 && errno == EINTR);
  return count == sizeof problem ? problem : 0;
}

Result<Child> start(const Handler& handler) {
  LADE_ASSIGN(Pipe input, make_pipe(handler));
  LADE_ASSIGN(Pipe output, make_pipe(handler));
  LADE_ASSIGN(Pipe errors, make_pipe(handler));
  LADE_ASSIGN(Pipe status, make_pipe(handler));
  Launch launch = launch_of(handler);
  launch.input = input.read.number();
  launch.output = output.write.number();
  launch.errors = errors.write.number();
  launch.status = status.write.number();
  const pid_t pid = fork();
  if (pid == 0) become(launch);
  if (pid < 0) return fail(not_started(handler, errno));
  Child child(pid);
  status.write.close();
  if (const int problem = problem_of(status.read); problem != 0) return fail(not_started(handler, problem));
  child.input = std::move(input.write);
  child.output = std::move(output.read);
  child.errors = std::move(errors.read);
  for (const Descriptor* end : {&child.input, &child.output, &child.errors}) do_not_block(*end);
  return child;
}

std::string describe_ending(const siginfo_t& ending) {
  if (ending.si_code == CLD_EXITED) return fmt::format("it ended with exit code {}", ending.si_status);
  return fmt::format("it was ended by signal {} ({})", ending.si_status, strsignal(ending.si_status));
}

}  // namespace

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

bool Child::wait(std::chrono::milliseconds timeout) const {
  const auto end = std::chrono::steady_clock::now() + timeout;
  // Nothing can be waited for by poll() but a pidfd, which tells of the leader's end.
  const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (!handle.is_open()) return true;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ended{handle.number(), POLLIN, 0};
    const int count = poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

std::string Child::kill() {
  if (pid_ == 0) return {};
  input.close();
  output.close();
  errors.close();
  siginfo_t ending{};
  // The leader keeps the group's number taken until it is reaped, so nobody else is hit.
  waitid(P_PID, static_cast<id_t>(pid_), &ending, WEXITED | WNOHANG | WNOWAIT);
  const bool had_ended = ending.si_pid != 0;
  ::kill(-pid_, SIGKILL);
  constexpr std::chrono::seconds kPatience(5);  // one that hangs in the system is left behind
  if (had_ended || wait(kPatience)) {
    while (waitid(P_PID, static_cast<id_t>(pid_), &ending, WEXITED) != 0 && errno == EINTR) {
    }
  }
  pid_ = 0;
  return had_ended ? describe_ending(ending) : std::string("it was killed");
}

Result<Child> Spawner::spawn(const Handler& handler) {
  std::packaged_task<Result<Child>()> task([&handler] { return start(handler); });
  auto started = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  wake_.notify_one();
  return started.get();
}

void Spawner::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [&] { return !tasks_.empty(); })) {
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace lade::handlers
