-- One row. Every published import raises the generation; running servers watch it and swap to the new data.
-- `last_file` numbers the imported files; a number is reserved before its import starts and never used twice.
CREATE TABLE generation (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  generation BIGINT NOT NULL,
  published_at BIGINT,
  last_file BIGINT NOT NULL
);

INSERT INTO generation (id, generation, published_at, last_file) VALUES (1, 0, NULL, 0);
