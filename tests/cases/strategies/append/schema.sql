CREATE TABLE log (code text, quantity bigint, note text DEFAULT 'd');
INSERT INTO log VALUES ('A', 1, 'old');
