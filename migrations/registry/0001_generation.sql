-- One row. Every published import raises the generation; running servers watch it and swap to the new data.
CREATE TABLE generation (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  generation BIGINT NOT NULL,
  published_at BIGINT
);

INSERT INTO generation (id, generation, published_at) VALUES (1, 0, NULL);
