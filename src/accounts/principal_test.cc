// What roles, scopes and sight allow.
#include "accounts/principal.h"

#include <gtest/gtest.h>

namespace lade::accounts {
namespace {

Principal by_session(Role role) {
  Principal principal;
  principal.role = role;
  principal.via = "session";
  return principal;
}
Principal by_token(Role role, std::vector<std::string> scopes) {
  Principal principal = by_session(role);
  principal.via = "token";
  principal.scopes = std::move(scopes);
  return principal;
}

TEST(Principal, NamesAreTheirOwnInverse) {
  for (const Role role : {Role::viewer, Role::operator_, Role::reviewer, Role::admin})
    EXPECT_EQ(role_of(to_string(role)), role);
  for (const Sight sight : {Sight::own, Sight::project, Sight::company}) EXPECT_EQ(sight_of(to_string(sight)), sight);
  EXPECT_EQ(to_string(Role::operator_), "operator");
  EXPECT_FALSE(role_of("Admin"));
  EXPECT_FALSE(sight_of(""));
}

TEST(Principal, ARoleMayWhatThoseBelowMay) {
  const Role roles[] = {Role::viewer, Role::operator_, Role::reviewer, Role::admin};
  for (const Role own : roles)
    for (const Role needed : roles) EXPECT_EQ(may(by_session(own), needed, "admin"), own >= needed);
}

TEST(Principal, AnInstanceAdminIsAboveRoles) {
  Principal principal = by_session(Role::viewer);
  principal.instance_admin = true;
  EXPECT_TRUE(may(principal, Role::admin, "admin"));
}

TEST(Principal, ATokenIsGoodForItsScopesAlone) {
  const Principal principal = by_token(Role::admin, {"imports:read", "queue:read"});
  EXPECT_TRUE(may(principal, Role::viewer, "imports:read"));
  EXPECT_TRUE(may(principal, Role::viewer, "queue:read"));
  for (const char* scope : {"imports:write", "imports", "imports:rea", "admin", "", "*"})
    EXPECT_FALSE(may(principal, Role::viewer, scope)) << scope;
  EXPECT_FALSE(may(by_token(Role::admin, {}), Role::viewer, "imports:read")) << "no scope is no right";
}

TEST(Principal, ATokenNeverMayMoreThanItsUser) {
  const Principal principal = by_token(Role::operator_, {"*"});
  for (const std::string_view scope : scopes()) {
    EXPECT_TRUE(may(principal, Role::operator_, scope));
    EXPECT_FALSE(may(principal, Role::reviewer, scope));
  }
}

TEST(Principal, SeesOwnOrProjectOrAll) {
  Principal principal;
  principal.user_id = 7;
  principal.project = 3;
  EXPECT_TRUE(sees(principal, 8, 0)) << "the whole company is the default";
  principal.sight = Sight::project;
  EXPECT_TRUE(sees(principal, 8, 3));
  EXPECT_TRUE(sees(principal, 7, 4)) << "one's own";
  EXPECT_FALSE(sees(principal, 8, 4));
  EXPECT_FALSE(sees(principal, 8, 0));
  principal.sight = Sight::own;
  EXPECT_TRUE(sees(principal, 7, 3));
  EXPECT_FALSE(sees(principal, 8, 3));
  principal.sight = Sight::project;
  principal.project = 0;
  EXPECT_FALSE(sees(principal, 8, 0)) << "no project is not a project";
}

}  // namespace
}  // namespace lade::accounts
