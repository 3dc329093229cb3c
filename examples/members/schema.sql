-- Runs on SQLite and on PostgreSQL; SQLite keeps uuid, date and timestamp as text.
CREATE TABLE member (
  id         uuid PRIMARY KEY,
  name       varchar(120) NOT NULL,
  email      varchar(200),
  born_on    date,
  joined_at  timestamp with time zone,
  kind       varchar(20) NOT NULL,
  newsletter boolean NOT NULL,
  fee        integer,
  origin     varchar(40)
);
