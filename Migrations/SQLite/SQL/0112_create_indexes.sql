CREATE INDEX change_by_offer ON change (offer_key);
CREATE INDEX change_by_run ON change (run_id);
