#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace lade {

// What an error means to the caller; the command line turns it into its exit code.
enum class ErrorKind {
  failed,          // the work could not be done
  usage,           // the request itself is wrong
  invalid,         // a definition, a file or a setting is not acceptable
  cannot_connect,  // the database or the storage does not answer
  cancelled,       // somebody asked to stop
  duplicate,       // the same is being done already
};

// A failure that a caller can expect. `code` is stable and documented in docs/errors.md; `message` says what happened
// and where, `hint` what would be accepted or what to do next.
struct Error {
  std::string code;
  std::string message;
  std::string hint = {};
  ErrorKind kind = ErrorKind::failed;

  // Puts "context: " before the message; each level that knows more calls it once.
  Error within(std::string_view context) && {
    message.insert(0, std::string(context) + ": ");
    return std::move(*this);
  }
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}
inline tl::unexpected<Error> fail(std::string code, std::string message, std::string hint = {},
                                  ErrorKind kind = ErrorKind::failed) {
  return tl::unexpected<Error>(Error{std::move(code), std::move(message), std::move(hint), kind});
}

}  // namespace lade

#define LADE_CONCAT_(a, b) a##b
#define LADE_CONCAT(a, b) LADE_CONCAT_(a, b)

// LADE_TRY(expression): returns its error from the enclosing function, otherwise goes on.
#define LADE_TRY(expression)                                                                                   \
  do {                                                                                                         \
    if (auto lade_result_ = (expression); !lade_result_) return ::lade::fail(std::move(lade_result_).error()); \
  } while (false)

// LADE_ASSIGN(declaration, expression): the same, and keeps the value: LADE_ASSIGN(auto file, File::open(path));
#define LADE_ASSIGN(declaration, expression)                                                                           \
  auto LADE_CONCAT(lade_value_, __LINE__) = (expression);                                                              \
  if (!LADE_CONCAT(lade_value_, __LINE__)) return ::lade::fail(std::move(LADE_CONCAT(lade_value_, __LINE__)).error()); \
  declaration = std::move(*LADE_CONCAT(lade_value_, __LINE__))
