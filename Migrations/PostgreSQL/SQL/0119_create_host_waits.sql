CREATE TABLE host_wait (
  host_mark TEXT COLLATE "C" PRIMARY KEY CHECK (length(host_mark) = 32),
  until BIGINT NOT NULL
);
