-- The step that resolves the error of a run, as JSON: {"force":{"feed":…}}. The words for it stand in
-- error_hint.
ALTER TABLE sync_run ADD COLUMN error_remedy TEXT
  CHECK (error_remedy IS NULL OR json_valid(error_remedy));
