CREATE INDEX offer_by_feed ON offer (feed_key, offer_key);
CREATE INDEX offer_by_name ON offer (feed_key, substr(name, 1, 64));
CREATE INDEX change_by_offer ON change (offer_key, change_id);
CREATE INDEX change_by_run ON change USING brin (run_id) WITH (autosummarize = on);
