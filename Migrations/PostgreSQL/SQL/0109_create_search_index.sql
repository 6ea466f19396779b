ALTER TABLE offer ADD COLUMN search TSVECTOR NOT NULL;

CREATE INDEX offer_by_search ON offer USING gin (search);

CREATE TABLE search_word (
  word TEXT COLLATE "C" PRIMARY KEY CHECK (word <> '')
);
