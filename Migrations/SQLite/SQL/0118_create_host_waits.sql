CREATE TABLE host_wait (
  host_mark TEXT NOT NULL PRIMARY KEY CHECK (length(host_mark) = 32),
  until INTEGER NOT NULL
) STRICT;
