CREATE TABLE commit_count (
  shard BIGINT PRIMARY KEY,
  number BIGINT NOT NULL
);

INSERT INTO commit_count SELECT shard, 0 FROM generate_series(0, 15) AS shard;
