CREATE TABLE "or""der; --" ("se lect" text PRIMARY KEY, "naïve ""x""" text, "MixedCase" integer, "where" integer);
INSERT INTO "or""der; --" VALUES ('b', 'old', 2, 7);
