CREATE TABLE times (id integer PRIMARY KEY, at timestamp with time zone);
