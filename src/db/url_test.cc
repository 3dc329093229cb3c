#include "db/url.h"

#include <gmock/gmock.h>

#include "db/connection.h"
#include "testing/results.h"

namespace lade::db {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Url, TheBackendFollowsFromTheScheme) {
  EXPECT_EQ(backend_of("sqlite:a.db"), Backend::sqlite);
  EXPECT_EQ(backend_of("postgresql://h/d"), Backend::postgresql);
  EXPECT_EQ(backend_of("host=h dbname=d"), Backend::postgresql);
}

TEST(Url, SqlitePathsAreTakenAsTheyAre) {
  EXPECT_EQ(parse_sqlite_url("sqlite:data/a b.db")->path, "data/a b.db");
  EXPECT_EQ(parse_sqlite_url("sqlite:/abs.db?mode=ro")->path, "/abs.db");
  EXPECT_EQ(parse_sqlite_url("sqlite:/abs.db?mode=ro")->mode, SqliteLocation::Mode::read_only);
  EXPECT_EQ(parse_sqlite_url("sqlite:/abs.db?mode=rw")->mode, SqliteLocation::Mode::read_write);
  EXPECT_EQ(parse_sqlite_url("sqlite:/abs.db?mode=rwc")->mode, SqliteLocation::Mode::create);
  EXPECT_TRUE(parse_sqlite_url("sqlite::memory:")->in_memory());
  EXPECT_FAILS(parse_sqlite_url("sqlite:"), "database_url_invalid");
  EXPECT_FAILS(parse_sqlite_url("sqlite:a.db?cache=shared"), "database_url_invalid");
  EXPECT_FAILS(parse_sqlite_url(std::string("sqlite:a\0b", 10)), "database_url_invalid");
}

TEST(Url, AccessIsLimitedButNeverWidened) {
  EXPECT_EQ(limited_to(Access::read, "sqlite:a.db"), "sqlite:a.db?mode=ro");
  EXPECT_EQ(limited_to(Access::write, "sqlite:a.db"), "sqlite:a.db?mode=rw");
  EXPECT_EQ(limited_to(Access::write, "sqlite:a.db?mode=rwc"), "sqlite:a.db?mode=rw");
  EXPECT_EQ(limited_to(Access::write, "sqlite:a.db?mode=ro"), "sqlite:a.db?mode=ro");
  for (const char* url : {"sqlite::memory:", "sqlite:", "sqlite:a.db?mode=x", "postgresql://h/d", "host=h", ""})
    EXPECT_EQ(limited_to(Access::read, url), url);
}

TEST(Url, PasswordsAreNotShown) {
  EXPECT_EQ(without_password("sqlite:a.db"), "sqlite:a.db");
  EXPECT_EQ(without_password("postgresql://ann:s3cret@db.example:5433/shop"), "postgresql://ann@db.example:5433/shop");
  EXPECT_EQ(without_password("postgres://ann:s3%2Fcret@[::1]/shop?sslmode=require&sslpassword=s3cret"),
            "postgresql://ann@[::1]/shop?sslmode=require");
  EXPECT_EQ(without_password("postgresql://ann@/shop?host=/run/pg&password=s3cret"),
            "postgresql://ann@/shop?host=/run/pg");
  EXPECT_EQ(without_password("postgresql://h1:1,h2:2/shop"), "postgresql:///shop?host=h1,h2&port=1,2");
  EXPECT_EQ(without_password("host=h password='s3 cret' dbname='a b'"), "dbname='a b' host=h");
}

TEST(Url, AnUnreadableUrlShowsNothing) {
  for (const char* url : {"postgresql://ann:s3cret@h:1x/d?nonsense", "postgresql://ann:s3cret@[h/d", "host=h s3cret",
                          "postgresql://ann:s3%zzcret@h/d", "password=s3cret nonsense=1"}) {
    EXPECT_THAT(without_password(url), Not(HasSubstr("cret"))) << url;
    const auto connection = connect(url);
    ASSERT_FAILS(connection, "database_url_invalid") << url;
    EXPECT_THAT(connection.error().message, Not(HasSubstr("cret"))) << url;
    EXPECT_EQ(connection.error().kind, ErrorKind::usage);
  }
}

TEST(Url, OtherSchemesAreRefused) {
  EXPECT_FAILS(connect("mysql://ann:s3cret@h/d"), "database_url_invalid");
  EXPECT_THAT(connect("mysql://ann:s3cret@h/d").error().message, Not(HasSubstr("s3cret")));
  EXPECT_FAILS(connect("shop.db"), "database_url_invalid");
  EXPECT_FAILS(connect(""), "database_url_invalid");
}

}  // namespace
}  // namespace lade::db
