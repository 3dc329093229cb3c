// Passwords and logins.
#include "accounts/login.h"

#include <thread>

#include "accounts/sessions.h"
#include "testing/accounts.h"

namespace lade::accounts {
namespace {

constexpr const char* kPassword = "correct horse battery";

class Login : public testing::AccountsTest {
 protected:
  Result<User> attempt(const std::string& email, const std::string& password) {
    return log_in(*connection, hasher, email, password);
  }
};
LADE_ON_BOTH_DATABASES(Login);

TEST(Passwords, AreNeitherShortNorEndless) {
  PasswordHasher hasher({.passes = 1, .memory_bytes = 8192});
  EXPECT_FAILS(hasher.hash("elevenchars"), "password_weak");
  EXPECT_FAILS(hasher.hash("äöüäöü"), "password_weak") << "six characters, twelve bytes";
  EXPECT_FAILS(hasher.hash(std::string(1025, 'x')), "password_weak");
  EXPECT_OK(hasher.hash("twelve chars"));
  EXPECT_OK(hasher.hash(std::string(1024, 'x')));
}

TEST(Passwords, MatchTheirHashAlone) {
  PasswordHasher hasher({.passes = 1, .memory_bytes = 8192});
  const auto hash = hasher.hash(kPassword);
  ASSERT_OK(hash);
  EXPECT_TRUE(hash->starts_with("$argon2id$")) << *hash;
  EXPECT_NE(*hash, *hasher.hash(kPassword)) << "each has a salt of its own";
  EXPECT_TRUE(hasher.matches(*hash, kPassword));
  EXPECT_FALSE(hasher.matches(*hash, "correct horse batterY"));
  EXPECT_FALSE(hasher.matches(*hash, ""));
  EXPECT_FALSE(hasher.matches("", kPassword));
  EXPECT_FALSE(hasher.matches("", ""));
  EXPECT_FALSE(hasher.matches(*hash, std::string(1025, 'x')));
}

TEST(Passwords, CostWhatTheyAreMeantToCost) {
  PasswordHasher hasher;
  const auto hash = hasher.hash(kPassword);
  ASSERT_OK(hash);
  EXPECT_NE(hash->find("$m=65536,t=2,p=1$"), std::string::npos) << *hash;
}

TEST(Passwords, WithoutMemoryThereIsNoHash) {
  PasswordHasher hasher({.passes = 1, .memory_bytes = 1});
  EXPECT_FAILS(hasher.hash(kPassword), "password_memory");
}

TEST_P(Login, GivesTheUser) {
  const User user = with_password("ada@example.com", kPassword);
  const auto found = attempt("Ada@Example.com", kPassword);
  ASSERT_OK(found);
  EXPECT_EQ(found->id, user.id);
  EXPECT_FALSE(found->last_login_at.empty());
  EXPECT_EQ(integer("SELECT count(*) FROM lade_login_failure"), 0);
}

TEST_P(Login, NobodyLearnsWhyItFailed) {
  const User inactive = with_password("gone@example.com", kPassword);
  ASSERT_OK(change_user(*connection, kCompany, inactive.id, {.active = false}));
  with_password("ada@example.com", kPassword);
  created("new@example.com");
  std::vector<std::string> messages;
  for (const auto& [email, password] : {std::pair("ada@example.com", "wrong horse battery"),
                                        {"nobody@example.com", kPassword},
                                        {"gone@example.com", kPassword},
                                        {"new@example.com", ""},
                                        {"' OR 1=1 --", kPassword}}) {
    const auto failed = attempt(email, password);
    EXPECT_FAILS(failed, "login_failed");
    messages.push_back(failed.error().message + failed.error().hint);
  }
  for (const std::string& message : messages) EXPECT_EQ(message, messages.front());
}

TEST_P(Login, TenFailuresLockItForTheWindow) {
  with_password("ada@example.com", kPassword);
  with_password("bob@example.com", kPassword);
  for (int i = 0; i < 10; ++i) EXPECT_FAILS(attempt("ada@example.com", "wrong horse battery"), "login_failed");
  EXPECT_FAILS(attempt("ada@example.com", kPassword), "login_locked");
  EXPECT_FAILS(attempt("ADA@example.com", kPassword), "login_locked");
  EXPECT_OK(attempt("bob@example.com", kPassword));
  age("lade_login_failure", "since", "14 minutes");
  EXPECT_FAILS(attempt("ada@example.com", kPassword), "login_locked");
  age("lade_login_failure", "since", "1 minutes");
  EXPECT_OK(attempt("ada@example.com", kPassword));
  EXPECT_FAILS(attempt("ada@example.com", "wrong horse battery"), "login_failed") << "counted from the beginning";
}

TEST_P(Login, AnUnknownUserIsLockedAlike) {
  for (int i = 0; i < 10; ++i) EXPECT_FAILS(attempt("nobody@example.com", kPassword), "login_failed");
  EXPECT_FAILS(attempt("nobody@example.com", kPassword), "login_locked");
}

TEST_P(Login, SuccessForgetsFailures) {
  with_password("ada@example.com", kPassword);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 9; ++i) EXPECT_FAILS(attempt("ada@example.com", "wrong horse battery"), "login_failed");
    EXPECT_OK(attempt("ada@example.com", kPassword));
  }
}

TEST_P(Login, OldFailuresAreForgotten) {
  EXPECT_FAILS(attempt("a@example.com", ""), "login_failed");
  age("lade_login_failure", "since", "16 minutes");
  EXPECT_FAILS(attempt("b@example.com", ""), "login_failed");
  EXPECT_EQ(integer("SELECT count(*) FROM lade_login_failure"), 1);
}

TEST_P(Login, ManyAttemptsAtOnceAreNotMoreAttempts) {
  with_password("ada@example.com", kPassword);
  std::atomic<int> failed = 0, locked = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const auto own = database.connect();
        for (int j = 0; j < 5; ++j) {
          const auto result = log_in(*own, hasher, "ada@example.com", "wrong horse battery");
          EXPECT_FALSE(result);
          if (!result) ++(result.error().code == "login_locked" ? locked : failed);
        }
      });
  }
  EXPECT_EQ(failed, 10);
  EXPECT_EQ(locked, 10);
}

TEST_P(Login, ANewPasswordEndsSessionsAndTheLock) {
  const User user = with_password("ada@example.com", kPassword);
  const auto session = begin_session(*connection, user);
  for (int i = 0; i < 11; ++i) EXPECT_FALSE(attempt("ada@example.com", "wrong horse battery"));
  EXPECT_FAILS(set_password(*connection, hasher, user, "short"), "password_weak");
  EXPECT_TRUE(*find_session(*connection, *session)) << "nothing has changed yet";
  ASSERT_OK(set_password(*connection, hasher, user, "another long password"));
  EXPECT_FALSE(*find_session(*connection, *session));
  EXPECT_FAILS(attempt("ada@example.com", kPassword), "login_failed");
  EXPECT_OK(attempt("ada@example.com", "another long password"));
}

TEST_P(Login, ThePasswordIsNowhere) {
  with_password("ada@example.com", kPassword);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_user WHERE password_hash LIKE '%horse%'"), 0);
  EXPECT_FALSE(attempt(kPassword, ""));  // typed into the wrong field
  EXPECT_EQ(integer("SELECT count(*) FROM lade_login_failure WHERE login_hash LIKE '%horse%'"), 0);
}

}  // namespace
}  // namespace lade::accounts
