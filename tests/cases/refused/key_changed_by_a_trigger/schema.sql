CREATE TABLE item (code text PRIMARY KEY, name text);
INSERT INTO item VALUES ('B', 'stored');
CREATE FUNCTION spell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.code := upper(new.code); RETURN new; END $$;
CREATE TRIGGER spell BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION spell();
