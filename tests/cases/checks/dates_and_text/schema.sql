CREATE TABLE period (id integer PRIMARY KEY, a date, b date);
