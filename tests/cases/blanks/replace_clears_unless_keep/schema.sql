CREATE TABLE part (code text PRIMARY KEY, plain text, kept text, cleared text, number numeric(14,4), untouched text);
INSERT INTO part VALUES ('A', 'p', 'k', 'c', 1.5, 'u');
INSERT INTO part VALUES ('B', 'p', 'k', 'c', 1.5, 'u');
