-- What is published in an external search engine: see src/search/clickhouse/store.ts. One row per layout of its tables.
CREATE TABLE search_publications (
  layout BIGINT PRIMARY KEY,
  numbers BIGINT NOT NULL,
  build BIGINT NOT NULL DEFAULT 0,
  publication BIGINT NOT NULL DEFAULT 0,
  skipped TEXT NOT NULL DEFAULT '[]',
  version TEXT NOT NULL DEFAULT '',
  rows_published BIGINT NOT NULL DEFAULT 0,
  entities BIGINT NOT NULL DEFAULT 0,
  limits TEXT NOT NULL DEFAULT '[]'
);
