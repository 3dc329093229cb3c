CREATE TABLE event (at timestamp with time zone PRIMARY KEY, name text);
