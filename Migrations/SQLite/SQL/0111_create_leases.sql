CREATE TABLE image_lease (
  url TEXT PRIMARY KEY NOT NULL CHECK (url <> ''),
  holder INTEGER NOT NULL,
  until_milliseconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
