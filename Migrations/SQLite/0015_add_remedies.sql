-- The step that resolves the error of a run, as JSON: {"force":{"feed":…}}. The text of the advice,
-- which includes words for this step, is in error_hint.
ALTER TABLE sync_run ADD COLUMN error_remedy TEXT
  CHECK (error_remedy IS NULL OR json_valid(error_remedy));
