// Sessions, tokens and one-time links: who has one is known by it, for as long as it holds.
#include <algorithm>
#include <thread>

#include "accounts/links.h"
#include "accounts/sessions.h"
#include "accounts/tokens.h"
#include "testing/accounts.h"

namespace lade::accounts {
namespace {

class Sessions : public testing::AccountsTest {
 protected:
  std::string begun(const User& user) {
    const auto token = begin_session(*connection, user);
    EXPECT_OK(token);
    return token.value_or("");
  }
  std::optional<Principal> found(const std::string& token) {
    const auto principal = find_session(*connection, token);
    EXPECT_OK(principal);
    return principal.value_or(std::nullopt);
  }
};
LADE_ON_BOTH_DATABASES(Sessions);

class Tokens : public testing::AccountsTest {
 protected:
  CreatedToken made(const User& user, std::vector<std::string> scopes = {"*"}) {
    const auto token = create_token(*connection, user, {.name = "nightly", .scopes = std::move(scopes)});
    EXPECT_OK(token);
    return token.value_or(CreatedToken());
  }
  std::optional<Principal> found(const std::string& text) {
    const auto principal = find_token(*connection, text);
    EXPECT_OK(principal);
    return principal.value_or(std::nullopt);
  }
};
LADE_ON_BOTH_DATABASES(Tokens);

class Links : public testing::AccountsTest {
 protected:
  std::string link(const User& user) {
    const auto token = create_link(*connection, user, LinkPurpose::password_reset);
    EXPECT_OK(token);
    return token.value_or("");
  }
};
LADE_ON_BOTH_DATABASES(Links);

bool is_base64url(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

TEST_P(Sessions, TellWhoAsks) {
  const auto project = create_project(*connection, other_company, "north", "");
  const auto user = create_user(*connection, {.email = "ada@example.com",
                                              .name = "Ada",
                                              .role = Role::reviewer,
                                              .company = other_company,
                                              .project = project->id,
                                              .sight = Sight::own,
                                              .instance_admin = true});
  const std::string token = begun(*user);
  EXPECT_EQ(token.size(), 43u);
  EXPECT_TRUE(is_base64url(token)) << token;
  EXPECT_NE(token, begun(*user));
  const auto principal = found(token);
  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->company, other_company);
  EXPECT_EQ(principal->company_slug, "other");
  EXPECT_EQ(principal->company_name, "Other Ltd");
  EXPECT_EQ(principal->user_id, user->id);
  EXPECT_EQ(principal->user, "ada@example.com");
  EXPECT_EQ(principal->name, "Ada");
  EXPECT_EQ(principal->role, Role::reviewer);
  EXPECT_TRUE(principal->instance_admin);
  EXPECT_EQ(principal->sight, Sight::own);
  EXPECT_EQ(principal->project, project->id);
  EXPECT_EQ(principal->via, "session");
  EXPECT_TRUE(principal->scopes.empty());
  EXPECT_FALSE(principal->use_unrecorded);
}

TEST_P(Sessions, AreNotFoundByAnythingElse) {
  const std::string token = begun(created("ada@example.com"));
  const auto hash = std::get<std::string>(value("SELECT token_hash FROM lade_session"));
  for (const std::string& wrong :
       {std::string(), token + "x", token.substr(1), std::string(43, 'A'), hash, std::string("%"), hash.substr(0, 43)})
    EXPECT_FALSE(found(wrong)) << wrong;
  EXPECT_EQ(integer("SELECT count(*) FROM lade_session WHERE token_hash = '" + token + "'"), 0);
}

TEST_P(Sessions, EndWhenNobodyUsesThem) {
  const std::string token = begun(created("ada@example.com"));
  age("lade_session", "last_seen_at", "29 minutes");
  EXPECT_TRUE(found(token));
  age("lade_session", "last_seen_at", "1 minutes");
  EXPECT_FALSE(found(token));
  EXPECT_FALSE(*rotate_session(*connection, token)) << "it does not come back so";
  EXPECT_EQ(remove_ended_sessions(*connection).value(), 1);
}

TEST_P(Sessions, EndInAnyCase) {
  const std::string token = begun(created("ada@example.com"));
  age("lade_session", "created_at", "719 minutes");
  EXPECT_TRUE(found(token));
  EXPECT_EQ(remove_ended_sessions(*connection).value(), 0);
  age("lade_session", "created_at", "1 minutes");
  EXPECT_FALSE(found(token)) << "however much it is used";
  EXPECT_EQ(remove_ended_sessions(*connection).value(), 1);
}

TEST_P(Sessions, UseIsRecordedOnceAMinute) {
  const std::string token = begun(created("ada@example.com"));
  const auto seen = [&] { return value("SELECT CAST(last_seen_at AS text) FROM lade_session"); };
  const db::Value begin = seen();
  ASSERT_OK(record_use(*connection, *found(token)));
  EXPECT_EQ(seen(), begin);
  age("lade_session", "last_seen_at", "20 minutes");
  EXPECT_TRUE(found(token)->use_unrecorded);
  ASSERT_OK(record_use(*connection, *found(token)));
  EXPECT_FALSE(found(token)->use_unrecorded);
  age("lade_session", "last_seen_at", "20 minutes");
  EXPECT_TRUE(found(token)) << "the half hour began anew";
}

TEST_P(Sessions, ARotatedOneHasANewTokenAndItsAge) {
  const std::string token = begun(created("ada@example.com"));
  age("lade_session", "created_at", "11 hours");
  const auto fresh = rotate_session(*connection, token);
  ASSERT_OK(fresh);
  ASSERT_TRUE(*fresh);
  EXPECT_FALSE(found(token));
  EXPECT_TRUE(found(**fresh));
  EXPECT_FALSE(*rotate_session(*connection, token));
  age("lade_session", "created_at", "1 hours");
  EXPECT_FALSE(found(**fresh)) << "rotation does not make it live longer";
}

TEST_P(Sessions, AreEndedOneByOneOrAllOfAUser) {
  const User ada = created("ada@example.com"), bob = created("bob@example.com");
  const std::string first = begun(ada), second = begun(ada), third = begun(ada), other = begun(bob);
  ASSERT_OK(end_session(*connection, first));
  EXPECT_FALSE(found(first));
  EXPECT_TRUE(found(second));
  EXPECT_EQ(end_sessions(*connection, ada.id).value(), 2);
  EXPECT_FALSE(found(second) || found(third));
  EXPECT_TRUE(found(other));
}

TEST_P(Sessions, ChangeWithTheirUser) {
  const User user = created("ada@example.com");
  const std::string token = begun(user);
  ASSERT_OK(change_user(*connection, kCompany, user.id, {.role = Role::admin}));
  EXPECT_EQ(found(token)->role, Role::admin);
}

TEST_P(Tokens, TellWhoAsksAndWhatFor) {
  const User user = created("ada@example.com", Role::operator_, other_company);
  const CreatedToken token = made(user, {"imports:read", "imports:write"});
  EXPECT_TRUE(token.text.starts_with("lade_"));
  EXPECT_EQ(token.text.size(), 48u);
  EXPECT_TRUE(is_base64url(token.text)) << token.text;
  const auto principal = found(token.text);
  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->company, other_company);
  EXPECT_EQ(principal->user, "ada@example.com");
  EXPECT_EQ(principal->role, Role::operator_);
  EXPECT_EQ(principal->via, "token");
  EXPECT_EQ(principal->credential, token.token.id);
  EXPECT_EQ(principal->scopes, (std::vector<std::string>{"imports:read", "imports:write"}));
  EXPECT_TRUE(may(*principal, Role::operator_, "imports:write"));
  EXPECT_FALSE(may(*principal, Role::viewer, "queue:read"));
}

TEST_P(Tokens, AreNotFoundByAnythingElse) {
  const CreatedToken token = made(created("ada@example.com"));
  for (const std::string& wrong : {std::string(), token.text.substr(5), token.text + "x",
                                   "LADE_" + token.text.substr(5), "lade_" + std::string(43, 'A'), token.token.uuid})
    EXPECT_FALSE(found(wrong)) << wrong;
  EXPECT_EQ(integer("SELECT count(*) FROM lade_token WHERE token_hash LIKE '%" + token.text.substr(5) + "%'"), 0);
}

TEST_P(Tokens, NeedANameScopesAndAnEnd) {
  const User user = created("ada@example.com", Role::admin);
  EXPECT_FAILS(create_token(*connection, user, {.name = "", .scopes = {"*"}}), "token_name_missing");
  EXPECT_FAILS(create_token(*connection, user, {.name = "n", .scopes = {}}), "token_scope_unknown");
  EXPECT_FAILS(create_token(*connection, user, {.name = "n", .scopes = {"imports:read", "imports"}}),
               "token_scope_unknown");
  for (const int days : {-1, 0, 367})
    EXPECT_FAILS(create_token(*connection, user, {.name = "n", .scopes = {"*"}, .valid_for = std::chrono::days(days)}),
                 "token_life_invalid");
  EXPECT_FAILS(create_token(*connection, user, {.name = "n", .scopes = {"*"}, .valid_for = {}}), "token_life_invalid");
  for (const std::string_view scope : scopes())
    EXPECT_OK(create_token(*connection, user, {.name = "n", .scopes = {std::string(scope)}})) << scope;
}

TEST_P(Tokens, OnlyInstanceAdminsHaveThemForEver) {
  User user = created("ada@example.com");
  user = *change_user(*connection, kCompany, user.id, {.instance_admin = true});
  const auto token = create_token(*connection, user, {.name = "n", .scopes = {"*"}, .valid_for = {}});
  ASSERT_OK(token);
  EXPECT_EQ(token->token.expires_at, "");
  age("lade_token", "created_at", "100000 days");
  EXPECT_TRUE(found(token->text));
}

TEST_P(Tokens, Expire) {
  const CreatedToken token = made(created("ada@example.com"));
  EXPECT_FALSE(token.token.expires_at.empty());
  age("lade_token", "expires_at", "89 days");
  EXPECT_TRUE(found(token.text));
  age("lade_token", "expires_at", "1 days");
  EXPECT_FALSE(found(token.text));
}

TEST_P(Tokens, UseIsRecordedOnceAMinute) {
  const CreatedToken token = made(created("ada@example.com"));
  EXPECT_TRUE(found(token.text)->use_unrecorded) << "never yet";
  ASSERT_OK(record_use(*connection, *found(token.text)));
  EXPECT_FALSE(found(token.text)->use_unrecorded);
  const std::string used = require_token(*connection, kCompany, token.token.uuid)->last_used_at;
  EXPECT_FALSE(used.empty());
  ASSERT_OK(record_use(*connection, *found(token.text)));
  EXPECT_EQ(require_token(*connection, kCompany, token.token.uuid)->last_used_at, used);
  age("lade_token", "last_used_at", "1 minutes");
  EXPECT_TRUE(found(token.text)->use_unrecorded);
}

TEST_P(Tokens, AreRevokedInTheirCompanyAlone) {
  const User user = created("ada@example.com");
  const CreatedToken token = made(user), kept = made(user);
  EXPECT_FAILS(revoke_token(*connection, other_company, token.token.uuid), "token_not_found");
  EXPECT_FAILS(revoke_token(*connection, kCompany, "4711"), "token_not_found");
  const auto revoked = revoke_token(*connection, kCompany, std::to_string(token.token.id));
  ASSERT_OK(revoked);
  EXPECT_FALSE(revoked->revoked_at.empty());
  EXPECT_FALSE(found(token.text));
  EXPECT_TRUE(found(kept.text));
  EXPECT_EQ(revoke_token(*connection, kCompany, token.token.uuid)->revoked_at, revoked->revoked_at);
}

TEST_P(Tokens, AreListedNewestFirst) {
  const User ada = created("ada@example.com"), bob = created("bob@example.com");
  const CreatedToken first = made(ada), second = made(bob), third = made(ada);
  const auto ids = [&](std::int64_t company, std::int64_t user) {
    const auto tokens = list_tokens(*connection, company, user);
    EXPECT_OK(tokens);
    std::vector<std::int64_t> listed;
    for (const Token& token : *tokens) listed.push_back(token.id);
    return listed;
  };
  EXPECT_EQ(ids(kCompany, 0), (std::vector{third.token.id, second.token.id, first.token.id}));
  EXPECT_EQ(ids(kCompany, ada.id), (std::vector{third.token.id, first.token.id}));
  EXPECT_EQ(ids(other_company, 0), std::vector<std::int64_t>{});
}

TEST_P(Tokens, RestWhileTheirUserIsInactive) {
  const User user = created("ada@example.com");
  const CreatedToken token = made(user);
  ASSERT_OK(change_user(*connection, kCompany, user.id, {.active = false}));
  EXPECT_FALSE(found(token.text));
  const User inactive = *require_user(*connection, kCompany, user.email);
  EXPECT_FAILS(create_token(*connection, inactive, {.name = "n", .scopes = {"*"}}), "user_inactive");
  EXPECT_FAILS(create_link(*connection, inactive, LinkPurpose::invitation), "user_inactive");
  ASSERT_OK(change_user(*connection, kCompany, user.id, {.active = true}));
  EXPECT_TRUE(found(token.text));
}

TEST_P(Links, WorkOnce) {
  const User user = created("ada@example.com", Role::viewer, other_company);
  const std::string token = link(user);
  const auto used = use_link(*connection, token);
  ASSERT_OK(used);
  EXPECT_EQ(used->user.id, user.id);
  EXPECT_EQ(used->user.company, other_company);
  EXPECT_EQ(used->purpose, LinkPurpose::password_reset);
  EXPECT_FAILS(use_link(*connection, token), "link_invalid");
  EXPECT_FAILS(use_link(*connection, ""), "link_invalid");
  EXPECT_EQ(integer("SELECT count(*) FROM lade_link WHERE token_hash = '" + token + "'"), 0);
}

TEST_P(Links, OneOfManyWhoTrySucceeds) {
  const std::string token = link(created("ada@example.com"));
  std::atomic<int> succeeded = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&] {
        const auto own = database.connect();
        if (use_link(*own, token)) ++succeeded;
      });
  }
  EXPECT_EQ(succeeded, 1);
}

TEST_P(Links, ARolledBackUseIsNone) {
  const std::string token = link(created("ada@example.com"));
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    EXPECT_OK(use_link(*connection, token));
  }
  EXPECT_OK(use_link(*connection, token));
}

TEST_P(Links, EndWithTimeUserAndPassword) {
  const User user = created("ada@example.com");
  const std::string old = link(user);
  age("lade_link", "expires_at", "24 hours");
  EXPECT_FAILS(use_link(*connection, old), "link_invalid");
  const std::string second = link(user);
  ASSERT_OK(set_password(*connection, hasher, user, "correct horse battery"));
  EXPECT_FAILS(use_link(*connection, second), "link_invalid");
  const std::string third = link(user);
  ASSERT_OK(change_user(*connection, kCompany, user.id, {.active = false}));
  ASSERT_OK(change_user(*connection, kCompany, user.id, {.active = true}));
  EXPECT_FAILS(use_link(*connection, third), "link_invalid");
}

TEST_P(Links, TheFirstAdminIsInvitedUntilThereIsOne) {
  const auto first = invite_first_admin(*connection);
  ASSERT_OK(first);
  ASSERT_TRUE(*first);
  const auto second = invite_first_admin(*connection);
  ASSERT_OK(second);
  ASSERT_TRUE(*second) << "nobody has come yet";
  EXPECT_FAILS(use_link(*connection, **first), "link_invalid");
  const auto used = use_link(*connection, **second);
  ASSERT_OK(used);
  EXPECT_EQ(used->purpose, LinkPurpose::invitation);
  EXPECT_EQ(used->user.email, kFirstAdmin);
  EXPECT_EQ(used->user.role, Role::admin);
  EXPECT_TRUE(used->user.instance_admin);
  EXPECT_EQ(used->user.company, kCompany);
  ASSERT_OK(set_password(*connection, hasher, used->user, "correct horse battery"));
  EXPECT_FALSE(invite_first_admin(*connection).value());
}

}  // namespace
}  // namespace lade::accounts
