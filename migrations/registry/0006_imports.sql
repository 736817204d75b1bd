-- `skipped` counts rows that the register documents as not being companies. `program` is the version of the program that
-- read the files: another version may read the same files differently.
ALTER TABLE imports ADD COLUMN skipped BIGINT NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN program TEXT NOT NULL DEFAULT '';

-- The day that the publisher dates the file, `YYYY-MM-DD`; null if the file does not say.
ALTER TABLE files ADD COLUMN as_of TEXT;

-- The entities that are not delisted. Null until the next import of the register, which counts them.
ALTER TABLE holdings ADD COLUMN listed BIGINT;

-- The entities by register and country, including delisted ones, so that they need not be counted over millions of rows.
CREATE TABLE country_holdings (
  register TEXT NOT NULL,
  country_code TEXT NOT NULL,
  entities BIGINT NOT NULL,
  PRIMARY KEY (register, country_code)
);

INSERT INTO country_holdings (register, country_code, entities)
  SELECT register, country_code, count(*) FROM entities GROUP BY register, country_code;

-- Values of an import whose meaning the register does not know, the most frequent first. A null value counts all
-- further values of the column together.
CREATE TABLE unknown_values (
  generation BIGINT NOT NULL,
  position BIGINT NOT NULL,
  kind TEXT NOT NULL,
  column_name TEXT NOT NULL,
  value TEXT,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (generation, position)
);

-- The parts of the files of an import: the file itself, an entry of an archive, or a sheet. `entry` is its name in the
-- file, null for the file itself. `table_name` is the source of the register that it was recognized as. `content` is
-- 'records' if its rows are companies, 'rows' if its rows belong to companies, 'codes' for a code table.
CREATE TABLE parts (
  generation BIGINT NOT NULL,
  part BIGINT NOT NULL,
  file_id BIGINT NOT NULL,
  entry TEXT,
  table_name TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (generation, part)
);

-- The rows that a record was read from, by part, as `registry/origins.ts` writes them. Null: only the row `place`, in
-- the only part of its file that has records.
ALTER TABLE entities ADD COLUMN origins TEXT;
