-- Hints of runs name no commands. Older versions wrote commands of the program and of the shell into
-- them. A command that stands for a remedy becomes its words and the remedy; its source is that of
-- the run. Any other command is cut off, or its hint removed.
UPDATE sync_run SET
  error_hint = 'If that is right, accept the removals.',
  error_remedy = (
    SELECT
      CASE WHEN instr(sync_run.error_hint, ' --from ') = 0
        THEN json_object('acceptRemovals', json_object('feed', name))
        ELSE json_object('acceptRemovals', json_object('feed', name, 'source', sync_run.source))
      END
    FROM feed WHERE feed.feed_key = sync_run.feed_key)
WHERE error_remedy IS NULL
  AND error_hint GLOB 'If that is right: offers sync * --accept-removals';

UPDATE sync_run SET
  error_hint =
    substr(error_hint, 1, instr(error_hint, ': offers sync ') - 1)
      || ', force a sync, or name another source.',
  error_remedy = (
    SELECT json_object('force', json_object('feed', name))
    FROM feed WHERE feed.feed_key = sync_run.feed_key)
WHERE error_remedy IS NULL AND error_hint GLOB '*: offers sync * --force, or --from another address.';

UPDATE sync_run SET
  error_hint = substr(error_hint, 1, instr(error_hint, ': offers sync ') - 1) || '.',
  error_remedy = (
    SELECT
      CASE WHEN sync_run.error_hint GLOB '* --from URL-OR-FILE'
        THEN json_object('nameSource', json_object('feed', name))
        ELSE json_object('nameSource', json_object('feed', name, 'source', sync_run.source))
      END
    FROM feed WHERE feed.feed_key = sync_run.feed_key)
WHERE error_remedy IS NULL AND (
  error_hint GLOB '*Name one: offers sync * --from URL-OR-FILE'
  OR error_hint GLOB '*Name a source: offers sync * --from URL-OR-FILE'
  OR error_hint GLOB '* name it on this machine: offers sync * --from *');

UPDATE sync_run SET
  error_hint = replace(error_hint, ', add --allow-private-network.', ', allow private networks.'),
  error_remedy = json_object('allowPrivateNetwork', json_object())
WHERE error_remedy IS NULL AND error_hint GLOB '*, add --allow-private-network.';

UPDATE sync_run SET
  error_hint = replace(error_hint, ': offers feeds add NAME SOURCE', '.'),
  error_remedy = json_object('addFeed', json_object())
WHERE error_remedy IS NULL AND error_hint GLOB '* or add a feed: offers feeds add NAME SOURCE';

UPDATE sync_run SET
  error_hint = replace(error_hint, ', sync --from that address.', ', sync from that address.')
WHERE error_hint GLOB '*, sync --from that address.';

UPDATE sync_run SET
  error_hint = substr(error_hint, 1, instr(error_hint, ': export ') - 1) || '.'
WHERE error_remedy IS NULL AND error_hint GLOB '*. Set it: export *=…';

UPDATE sync_run SET
  error_hint = substr(error_hint, 1, instr(error_hint, ': unset ') - 1) || '.'
WHERE error_remedy IS NULL AND error_hint GLOB '*, or unset it: unset *';

UPDATE sync_run SET error_hint = NULL
WHERE error_remedy IS NULL AND (
  error_hint GLOB '*: offers *' OR error_hint GLOB '* --*'
  OR error_hint GLOB '*: export *' OR error_hint GLOB '*: unset *'
  OR error_hint GLOB '*sqlite3 *' OR error_hint GLOB '*ulimit *');
