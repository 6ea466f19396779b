CREATE TABLE commit_order (
  order_key INTEGER PRIMARY KEY CHECK (order_key = 1),
  last_offer_key INTEGER NOT NULL,
  last_change_id INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL
) STRICT;

INSERT INTO commit_order (order_key, last_offer_key, last_change_id, last_run_id)
VALUES (1, 0, 0, 0);
