CREATE TABLE IF NOT EXISTS composer (
  id        INTEGER PRIMARY KEY,
  name      TEXT NOT NULL UNIQUE,
  signature TEXT,
  born      INTEGER,
  died      INTEGER
);
CREATE TABLE IF NOT EXISTS raga (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS temple (
  id    INTEGER PRIMARY KEY,
  name  TEXT NOT NULL UNIQUE,
  place TEXT
);
CREATE TABLE IF NOT EXISTS composition (
  krithi_key  TEXT PRIMARY KEY,
  title       TEXT NOT NULL,
  composer_id INTEGER NOT NULL REFERENCES composer (id),
  raga_id     INTEGER NOT NULL REFERENCES raga (id),
  temple_id   INTEGER REFERENCES temple (id),
  tala        TEXT,
  language    TEXT,
  source_url  TEXT,
  composer_confidence NUMERIC(5, 2)
);
CREATE INDEX IF NOT EXISTS composition_composer ON composition (composer_id);
CREATE INDEX IF NOT EXISTS composition_raga ON composition (raga_id);
CREATE INDEX IF NOT EXISTS composition_temple ON composition (temple_id);
