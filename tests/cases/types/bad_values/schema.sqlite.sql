CREATE TABLE everything (id integer PRIMARY KEY, t text, i bigint, d numeric(14,4), b boolean, day date,
  at timestamp with time zone, u text, j text);
