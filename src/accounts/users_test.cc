// Companies, projects and the people in them.
#include "accounts/sessions.h"
#include "testing/accounts.h"

namespace lade::accounts {
namespace {

class Companies : public testing::AccountsTest {};
LADE_ON_BOTH_DATABASES(Companies);

class Users : public testing::AccountsTest {};
LADE_ON_BOTH_DATABASES(Users);

TEST_P(Companies, TheFirstOneIsThere) {
  const auto company = require_company(*connection, "default");
  ASSERT_OK(company);
  EXPECT_EQ(company->id, kCompany);
  EXPECT_FALSE(company->approver_must_differ);
  EXPECT_FALSE(company->max_upload_bytes);
}

TEST_P(Companies, AreFoundBySlugOrId) {
  EXPECT_EQ(require_company(*connection, "other")->name, "Other Ltd");
  EXPECT_EQ(require_company(*connection, std::to_string(other_company))->slug, "other");
  EXPECT_FAILS(require_company(*connection, "nobody"), "company_not_found");
  const auto all = list_companies(*connection);
  ASSERT_OK(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].slug, "default");
  EXPECT_EQ((*all)[1].slug, "other");
}

TEST_P(Companies, ASlugIsPlainAndTakenOnce) {
  EXPECT_FAILS(create_company(*connection, "other", ""), "company_exists");
  for (const std::string& slug : {std::string(), std::string("Acme"), std::string("2nd"), std::string("a b"),
                                  std::string("../a"), std::string(64, 'a')})
    EXPECT_FAILS(create_company(*connection, slug, "x"), "slug_invalid");
  EXPECT_EQ(create_company(*connection, "a-2_b", "")->name, "a-2_b") << "without a name it is called by its slug";
}

TEST_P(Companies, SettingsAreKept) {
  auto company = require_company(*connection, "other");
  company->approver_must_differ = true;
  company->max_upload_bytes = 5'000'000'000;
  company->name = "Another";
  ASSERT_OK(save_company(*connection, *company));
  company = require_company(*connection, "other");
  EXPECT_TRUE(company->approver_must_differ);
  EXPECT_EQ(company->max_upload_bytes, 5'000'000'000);
  EXPECT_EQ(company->name, "Another");
  company->max_upload_bytes.reset();
  ASSERT_OK(save_company(*connection, *company));
  EXPECT_FALSE(require_company(*connection, "other")->max_upload_bytes);
  company->id = 77;
  EXPECT_FAILS(save_company(*connection, *company), "company_not_found");
}

TEST_P(Companies, ProjectsAreTheirOwn) {
  const auto project = create_project(*connection, kCompany, "north", "The north");
  ASSERT_OK(project);
  EXPECT_OK(create_project(*connection, other_company, "north", ""));
  EXPECT_FAILS(create_project(*connection, kCompany, "north", ""), "project_exists");
  EXPECT_FAILS(create_project(*connection, kCompany, "7", ""), "slug_invalid");
  EXPECT_FAILS(create_project(*connection, 77, "north", ""), "company_not_found");
  EXPECT_EQ(require_project(*connection, kCompany, "north")->id, project->id);
  EXPECT_EQ(require_project(*connection, kCompany, std::to_string(project->id))->name, "The north");
  EXPECT_FAILS(require_project(*connection, other_company, std::to_string(project->id)), "project_not_found");
  EXPECT_EQ(list_projects(*connection, kCompany)->size(), 1u);
}

TEST_P(Users, ComeBackAsTheyWereMade) {
  const auto project = create_project(*connection, other_company, "north", "");
  const auto made = create_user(*connection, {.email = "Ada@Example.COM",
                                              .name = "Ada L.",
                                              .role = Role::reviewer,
                                              .company = other_company,
                                              .project = project->id,
                                              .sight = Sight::project,
                                              .instance_admin = true});
  ASSERT_OK(made);
  EXPECT_EQ(made->email, "ada@example.com");
  for (const std::string& reference : {std::string("ADA@example.com"), made->uuid, std::to_string(made->id)}) {
    const auto found = require_user(*connection, other_company, reference);
    ASSERT_OK(found) << reference;
    EXPECT_EQ(found->id, made->id);
    EXPECT_EQ(found->name, "Ada L.");
    EXPECT_EQ(found->role, Role::reviewer);
    EXPECT_EQ(found->sight, Sight::project);
    EXPECT_EQ(found->project, project->id);
    EXPECT_TRUE(found->instance_admin);
    EXPECT_TRUE(found->active);
    EXPECT_FALSE(found->has_password);
    EXPECT_FALSE(found->created_at.empty());
    EXPECT_EQ(found->last_login_at, "");
  }
  EXPECT_OK(require_user_of_any_company(*connection, "ada@example.com"));
}

TEST_P(Users, AreSeenInTheirCompanyAlone) {
  const User user = created("ada@example.com");
  EXPECT_FALSE(*find_user(*connection, other_company, "ada@example.com"));
  EXPECT_FAILS(require_user(*connection, other_company, std::to_string(user.id)), "user_not_found");
  EXPECT_FAILS(require_user_of_any_company(*connection, "bob@example.com"), "user_not_found");
  EXPECT_EQ(list_users(*connection, kCompany)->size(), 1u);
  EXPECT_EQ(list_users(*connection, other_company)->size(), 0u);
  EXPECT_FAILS(change_user(*connection, other_company, user.id, {.role = Role::admin}), "user_not_found");
  User stranger = user;
  stranger.company = other_company;
  EXPECT_FAILS(set_password(*connection, hasher, stranger, "correct horse battery"), "user_not_found");
}

TEST_P(Users, AnAddressBelongsToOne) {
  created("ada@example.com");
  EXPECT_FAILS(create_user(*connection, {.email = "ADA@example.com", .company = other_company}), "user_exists");
  for (const char* wrong : {"", "ada", "@example.com", "ada@", "a@b@c", "a da@example.com", "ada@example.com\n"})
    EXPECT_FAILS(create_user(*connection, {.email = wrong, .company = kCompany}), "email_invalid");
  EXPECT_FAILS(create_user(*connection, {.email = std::string(250, 'a') + "@b.cd", .company = kCompany}),
               "email_invalid");
}

TEST_P(Users, NeedACompanyAndAProjectOfIt) {
  const auto project = create_project(*connection, other_company, "north", "");
  EXPECT_FAILS(create_user(*connection, {.email = "a@b.c", .company = 77}), "company_not_found");
  EXPECT_FAILS(create_user(*connection, {.email = "a@b.c", .company = kCompany, .project = project->id}),
               "project_not_found");
  const User user = created("a@b.c");
  EXPECT_FAILS(change_user(*connection, kCompany, user.id, {.project = project->id}), "project_not_found");
}

TEST_P(Users, OnlyWhatIsNamedChanges) {
  const User user = created("ada@example.com", Role::operator_);
  auto changed = change_user(*connection, kCompany, user.id, {.role = Role::admin});
  ASSERT_OK(changed);
  EXPECT_EQ(changed->role, Role::admin);
  EXPECT_TRUE(changed->active);
  changed = change_user(*connection, kCompany, user.id, {.name = "Ada", .sight = Sight::own, .active = false});
  ASSERT_OK(changed);
  const auto found = require_user(*connection, kCompany, "ada@example.com");
  EXPECT_EQ(found->role, Role::admin);
  EXPECT_EQ(found->name, "Ada");
  EXPECT_EQ(found->sight, Sight::own);
  EXPECT_FALSE(found->active);
  const auto project = create_project(*connection, kCompany, "north", "");
  EXPECT_EQ(change_user(*connection, kCompany, user.id, {.project = project->id})->project, project->id);
  EXPECT_EQ(change_user(*connection, kCompany, user.id, {.instance_admin = true})->project, project->id);
  EXPECT_EQ(change_user(*connection, kCompany, user.id, {.project = 0})->project, 0);
}

TEST_P(Users, WhoBecomesInactiveIsOut) {
  const User user = created("ada@example.com");
  const auto token = begin_session(*connection, user);
  ASSERT_TRUE(*find_session(*connection, *token));
  ASSERT_OK(change_user(*connection, kCompany, user.id, {.active = false}));
  EXPECT_FALSE(*find_session(*connection, *token));
  ASSERT_OK(change_user(*connection, kCompany, user.id, {.active = true}));
  EXPECT_FALSE(*find_session(*connection, *token)) << "the session does not come back";
}

TEST_P(Users, CountAsSuchOnceOneHasAPassword) {
  EXPECT_FALSE(has_users(*connection).value());
  const User user = created("ada@example.com");
  EXPECT_FALSE(has_users(*connection).value());
  ASSERT_OK(set_password(*connection, hasher, user, "correct horse battery"));
  EXPECT_TRUE(has_users(*connection).value());
  EXPECT_TRUE(require_user(*connection, kCompany, "ada@example.com")->has_password);
  ASSERT_OK(change_user(*connection, kCompany, user.id, {.active = false}));
  EXPECT_FALSE(has_users(*connection).value());
}

}  // namespace
}  // namespace lade::accounts
