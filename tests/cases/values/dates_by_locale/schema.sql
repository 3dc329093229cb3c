CREATE TABLE days (id integer PRIMARY KEY, german date, american date, swedish date, listed date, either date, moment timestamp with time zone);
