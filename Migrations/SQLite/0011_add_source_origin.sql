-- source_origin: who named chosen_source, the source that is read instead of the definition's own;
-- see SourceOrigin. NULL for a source that an older version of the program stored. Anybody may have
-- named such a source, except for a path, which was never accepted over the network.
ALTER TABLE feed_detail ADD COLUMN source_origin TEXT CHECK (
  source_origin IS NULL
  OR chosen_source IS NOT NULL AND source_origin IN ('machine', 'remote', 'import'));

UPDATE feed_detail SET source_origin = 'machine' WHERE substr(chosen_source, 1, 1) = '/';
