CREATE TABLE item (code text PRIMARY KEY, name text);
CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF new.name = 'refuse me' THEN RAISE EXCEPTION 'the trigger says no'; END IF; RETURN new; END $$;
CREATE TRIGGER guard BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION guard();
