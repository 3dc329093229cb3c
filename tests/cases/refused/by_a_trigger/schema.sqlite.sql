CREATE TABLE item (code text PRIMARY KEY, name text);
CREATE TRIGGER guard BEFORE INSERT ON item WHEN new.name = 'refuse me' BEGIN SELECT raise(ABORT, 'the trigger says no'); END;
