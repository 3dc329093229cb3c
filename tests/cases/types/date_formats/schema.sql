CREATE TABLE dates (id integer PRIMARY KEY, a date, b timestamp with time zone, c date);
