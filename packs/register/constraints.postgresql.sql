-- Optional, for databases into which other programs write too: every id names a row of its reference table, and the
-- periods of a unit do not overlap. lade sees to both itself; each key costs a load of a million rows about four seconds.
-- Units cannot be referenced so, since an id has several rows. SQLite cannot add constraints to tables that are there.
CREATE EXTENSION IF NOT EXISTS btree_gist;

ALTER TABLE legal_unit
  ADD FOREIGN KEY (sector_id) REFERENCES sector,
  ADD FOREIGN KEY (unit_size_id) REFERENCES unit_size,
  ADD FOREIGN KEY (status_id) REFERENCES status,
  ADD FOREIGN KEY (legal_form_id) REFERENCES legal_form,
  ADD FOREIGN KEY (data_source_id) REFERENCES data_source,
  ADD FOREIGN KEY (enterprise_id) REFERENCES enterprise;

ALTER TABLE establishment
  ADD FOREIGN KEY (sector_id) REFERENCES sector,
  ADD FOREIGN KEY (unit_size_id) REFERENCES unit_size,
  ADD FOREIGN KEY (status_id) REFERENCES status,
  ADD FOREIGN KEY (data_source_id) REFERENCES data_source,
  ADD FOREIGN KEY (enterprise_id) REFERENCES enterprise;

ALTER TABLE external_ident
  ADD FOREIGN KEY (type_id) REFERENCES external_ident_type;

ALTER TABLE location
  ADD FOREIGN KEY (region_id) REFERENCES region,
  ADD FOREIGN KEY (country_id) REFERENCES country;

ALTER TABLE activity
  ADD FOREIGN KEY (category_id) REFERENCES activity_category;

ALTER TABLE stat_for_unit
  ADD FOREIGN KEY (stat_definition_id) REFERENCES stat_definition;

ALTER TABLE tag_for_unit
  ADD FOREIGN KEY (tag_id) REFERENCES tag;

ALTER TABLE legal_unit
  ADD EXCLUDE USING gist (id WITH =, daterange(valid_from, valid_until) WITH &&);

ALTER TABLE establishment
  ADD EXCLUDE USING gist (id WITH =, daterange(valid_from, valid_until) WITH &&);

ALTER TABLE location
  ADD EXCLUDE USING gist (legal_unit_id WITH =, type WITH =, daterange(valid_from, valid_until) WITH &&),
  ADD EXCLUDE USING gist (establishment_id WITH =, type WITH =, daterange(valid_from, valid_until) WITH &&);

ALTER TABLE activity
  ADD EXCLUDE USING gist (legal_unit_id WITH =, type WITH =, daterange(valid_from, valid_until) WITH &&),
  ADD EXCLUDE USING gist (establishment_id WITH =, type WITH =, daterange(valid_from, valid_until) WITH &&);

ALTER TABLE contact
  ADD EXCLUDE USING gist (legal_unit_id WITH =, daterange(valid_from, valid_until) WITH &&),
  ADD EXCLUDE USING gist (establishment_id WITH =, daterange(valid_from, valid_until) WITH &&);

ALTER TABLE stat_for_unit
  ADD EXCLUDE USING gist (legal_unit_id WITH =, stat_definition_id WITH =, daterange(valid_from, valid_until) WITH &&),
  ADD EXCLUDE USING gist (establishment_id WITH =, stat_definition_id WITH =, daterange(valid_from, valid_until) WITH &&);

ALTER TABLE tag_for_unit
  ADD EXCLUDE USING gist (legal_unit_id WITH =, tag_id WITH =, daterange(valid_from, valid_until) WITH &&),
  ADD EXCLUDE USING gist (establishment_id WITH =, tag_id WITH =, daterange(valid_from, valid_until) WITH &&);
