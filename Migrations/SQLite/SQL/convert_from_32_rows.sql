-- Last part of the conversion of a database of version 32: copies the rows of the old tables into the new ones,
-- and drops the old tables.
--
-- This script needs the SQL functions natural_key(text), NaturalOrder.key(_:), and natural_keys(list), which is
-- NaturalOrder.keys(_:) of the texts of a JSON list; both are NULL for NULL.

INSERT INTO feed (
  feed_key, name, source, subscribed_at, unsubscribed_at, title, shared, presentation, chosen_source,
  source_origin, document_hash, document_head_hash, document_bytes)
SELECT feed_key, name, source, subscribed_at, unsubscribed_at, title, shared, presentation, chosen_source,
  source_origin, document_hash, document_head_hash, document_bytes
FROM old_feed ORDER BY feed_key;

INSERT INTO feed_fetch (
  feed_key, etag, last_modified, validated_mark, validated_rules, full_fetch_at, next_due_at, wait_until,
  failure_count, failing_since, stopped_at, moved_from, moved_to, moved_count, held_count, held_since,
  held_new_count, held_until)
SELECT feed_key, etag, last_modified, validated_mark, validated_rules, full_fetch_at, next_due_at, wait_until,
  failure_count, failing_since, stopped_at, moved_from, moved_to, moved_count, held_count, held_since,
  held_new_count, held_until
FROM old_feed_fetch ORDER BY feed_key;

INSERT INTO sync_run (
  run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count, changed_count,
  gone_count, back_count, unchanged_count, skipped_count, mended_count, problems, error_code, error_message,
  error_hint, error_remedy, request_reason, request_count, request_status, request_is_conditional)
SELECT run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count, changed_count,
  gone_count, back_count, unchanged_count, skipped_count, mended_count, problems, error_code, error_message,
  error_hint, error_remedy, request_reason, request_count, request_status, request_is_conditional
FROM old_sync_run ORDER BY run_id;

-- The offers of first syncs, as ranges of keys. A row of new_offers made its change stand for several
-- consecutive keys, of which the change had the last.
CREATE TEMP TABLE first_range (first_key INTEGER PRIMARY KEY, last_key INTEGER, run_id INTEGER);
INSERT OR IGNORE INTO first_range
SELECT change.offer_key - coalesce(new.offer_count, 1) + 1, change.offer_key, change.run_id
FROM old_change AS change CROSS JOIN old_first_sync AS first ON first.run_id = change.run_id
LEFT JOIN old_new_offers AS new
  ON new.change_id = change.change_id AND new.offer_count BETWEEN 2 AND new.change_id
WHERE change.kind = 'new' ORDER BY 1;

INSERT INTO offer (
  offer_key, feed_key, id, content_hash, first_run_id, first_seen_at, changed_at, gone_at, found_at, starts_at,
  expires_at, reward_minor_units, reward_currency, reward_percent_hundredths, reward_up_to, latitude, longitude,
  name_key, retailer_key, category_keys, name, reward_text, retailer, categories, image_url, url, description,
  terms, attributes)
SELECT offer.offer_key, offer.feed_key, offer.id, offer.content_hash,
  (SELECT CASE WHEN last_key >= offer.offer_key THEN run_id END FROM temp.first_range
    WHERE first_key <= offer.offer_key ORDER BY first_key DESC LIMIT 1),
  offer.first_seen_at, offer.changed_at,
  CASE WHEN found.offer_key IS NULL THEN offer.gone_at END, found.found_at, detail.starts_at, detail.expires_at,
  offer.reward_minor_units, offer.reward_currency, offer.reward_percent_hundredths, offer.reward_up_to,
  detail.latitude, detail.longitude, natural_key(offer.name), natural_key(detail.retailer),
  natural_keys(detail.categories),
  offer.name, offer.reward_text, detail.retailer, detail.categories, offer.image_url, offer.url,
  offer.description, offer.terms, detail.attributes
FROM old_offer AS offer LEFT JOIN old_offer_detail AS detail ON detail.offer_key = offer.offer_key
LEFT JOIN old_found_offer AS found ON found.offer_key = offer.offer_key
ORDER BY offer.offer_key;

UPDATE feed SET current_count = number.current, gone_count = number.gone
FROM (
  SELECT feed_key, count(*) FILTER (WHERE gone_at IS NULL AND found_at IS NULL) AS current,
    count(*) FILTER (WHERE gone_at IS NOT NULL) AS gone
  FROM offer GROUP BY feed_key
) AS number
WHERE number.feed_key = feed.feed_key;

INSERT INTO missing_offer (offer_key, feed_key, since)
SELECT offer_key, feed_key, since FROM old_missing_offer ORDER BY offer_key;

-- A row of each change. The rows of a first sync become one. A change that stood for several offers of a
-- later sync becomes a row an offer. A changed reward that rose or fell has a kind of its own.
INSERT INTO change (change_id, run_id, feed_key, offer_key, kind, at, offer_count, fields)
SELECT change.change_id, change.run_id, run.feed_key, change.offer_key,
  CASE WHEN first.run_id IS NOT NULL THEN 'first'
    WHEN change.kind <> 'changed' THEN change.kind
    WHEN json_type(change.fields, '$.reward.from') <> 'object' OR json_type(change.fields, '$.reward.to') <> 'object'
      OR instr(change.fields, '"reward"') = 0
      OR json_extract(change.fields, '$.reward.from.up_to') IS NOT json_extract(change.fields, '$.reward.to.up_to')
      THEN 'changed'
    WHEN json_extract(change.fields, '$.reward.from.minor_units') IS NOT NULL
      AND json_extract(change.fields, '$.reward.from.currency') IS json_extract(change.fields, '$.reward.to.currency')
      THEN CASE
        WHEN json_extract(change.fields, '$.reward.from.minor_units')
          < json_extract(change.fields, '$.reward.to.minor_units') THEN 'up'
        WHEN json_extract(change.fields, '$.reward.from.minor_units')
          > json_extract(change.fields, '$.reward.to.minor_units') THEN 'down' ELSE 'changed' END
    WHEN json_extract(change.fields, '$.reward.from.minor_units') IS NULL
      AND json_extract(change.fields, '$.reward.to.minor_units') IS NULL
      THEN CASE
        WHEN json_extract(change.fields, '$.reward.from.percent') < json_extract(change.fields, '$.reward.to.percent')
          THEN 'up'
        WHEN json_extract(change.fields, '$.reward.from.percent') > json_extract(change.fields, '$.reward.to.percent')
          THEN 'down' ELSE 'changed' END
    ELSE 'changed' END,
  run.started_at, first.offer_count, CASE WHEN change.kind = 'changed' THEN change.fields END
FROM old_change AS change CROSS JOIN sync_run AS run ON run.run_id = change.run_id
LEFT JOIN old_first_sync AS first ON first.change_id = change.change_id
LEFT JOIN old_first_sync AS part ON part.run_id = change.run_id AND change.kind = 'new'
LEFT JOIN old_new_offers AS new
  ON new.change_id = change.change_id AND new.offer_count BETWEEN 2 AND new.change_id
WHERE first.run_id IS NOT NULL OR (part.run_id IS NULL AND new.change_id IS NULL)
ORDER BY change.change_id;

INSERT INTO change (change_id, run_id, feed_key, offer_key, kind, at)
SELECT change.change_id - change.offer_key + offer.offer_key, change.run_id, run.feed_key, offer.offer_key, 'new',
  run.started_at
FROM old_new_offers AS new CROSS JOIN old_change AS change ON change.change_id = new.change_id
CROSS JOIN sync_run AS run ON run.run_id = change.run_id
CROSS JOIN offer ON offer.offer_key > change.offer_key - new.offer_count AND offer.offer_key <= change.offer_key
WHERE new.offer_count BETWEEN 2 AND new.change_id
  AND NOT EXISTS (SELECT 1 FROM old_first_sync AS first WHERE first.run_id = change.run_id)
ORDER BY 1;
DROP TABLE temp.first_range;

DELETE FROM account;
INSERT INTO account (user_key, name, folded_name, role, created_at, last_seen_at)
SELECT user_key, name, folded_name, role, created_at, last_seen_at FROM old_user ORDER BY user_key;
UPDATE account_order SET last_user_key = max(
  (SELECT max(user_key) FROM old_user),
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'old_user'), 1));
INSERT INTO favorite (user_key, feed, id, created_at, shared_at)
SELECT user_key, feed, id, created_at, shared_at FROM old_favorite ORDER BY user_key, feed, id;
INSERT INTO reader (user_key, name, change_id, read_at)
SELECT user_key, name, change_id, read_at FROM old_reader ORDER BY user_key, name;
INSERT INTO notice (user_key, kind, feed, id, about, told_at)
SELECT user_key, kind, feed, id, about, told_at FROM old_notice ORDER BY user_key, kind, feed, id, about;

INSERT INTO passphrase (user_key, salt, rounds, block_size, parallelism, hash, set_at)
SELECT user_key, salt, rounds, block_size, parallelism, hash, set_at FROM old_passphrase ORDER BY user_key;
INSERT INTO api_token (token_key, user_key, name, hash, scope, created_at, expires_at, last_used_at)
SELECT token_key, user_key, name, hash, scope, created_at, expires_at, last_used_at FROM old_api_token
ORDER BY token_key;
-- The number of a revoked token is not given again.
DELETE FROM sqlite_sequence WHERE name = 'api_token';
INSERT INTO sqlite_sequence (name, seq)
SELECT 'api_token', seq FROM sqlite_sequence WHERE name = 'old_api_token';
INSERT INTO session (session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent)
SELECT session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent FROM old_session
ORDER BY session_id;
INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until)
SELECT network, failure_count, last_failure_at, wait_until FROM old_login_attempt ORDER BY network;
INSERT INTO identity (user_key, issuer, subject, added_at)
SELECT user_key, issuer, subject, added_at FROM old_identity ORDER BY user_key, issuer;
INSERT INTO server_key (purpose, bytes) SELECT purpose, bytes FROM old_server_key ORDER BY purpose;

INSERT INTO recent_search (user_key, search_order, expression, feed, words, searched_at)
SELECT user_key, search_order, expression, feed, words, searched_at FROM old_recent_search
ORDER BY user_key, search_order;

UPDATE image_tally SET
  image_limit = old.image_limit, hit_count = old.hit_count, miss_count = old.miss_count,
  eviction_count = old.eviction_count
FROM old_image_tally AS old;
-- At most as many as the limit, those that were used last.
INSERT INTO image_cache (
  url, content_type, width, height, etag, last_modified, fetched_at, fresh_until, thumbnail_problem,
  thumbnail, bytes)
SELECT url, content_type, width, height, etag, last_modified, fetched_at, fresh_until, thumbnail_problem,
  thumbnail, bytes
FROM old_image_cache
WHERE url IN (
  SELECT url FROM old_image_cache LEFT JOIN old_image_use USING (url)
  ORDER BY coalesce(use_order, 0) DESC LIMIT (SELECT image_limit FROM image_tally))
ORDER BY rowid;
INSERT INTO image_use (url, use_order)
SELECT url, use_order FROM old_image_use WHERE url IN (SELECT url FROM image_cache) ORDER BY url;
INSERT INTO image_failure (url, code, reason, until)
SELECT url, code, reason, until FROM old_image_failure ORDER BY url;
INSERT INTO image_lease (url, holder, until_milliseconds)
SELECT url, holder, until_milliseconds FROM old_image_lease ORDER BY url;

UPDATE commit_order SET
  last_offer_key = max(
    coalesce((SELECT max(offer_key) FROM offer), 0), coalesce((SELECT max(offer_key) FROM old_change), 0)),
  last_change_id = max(
    coalesce((SELECT max(change_id) FROM old_change), 0), coalesce((SELECT max(change_id) FROM reader), 0)),
  last_run_id = coalesce((SELECT max(run_id) FROM sync_run), 0);
UPDATE search_state SET is_current = NOT EXISTS (SELECT 1 FROM offer);

-- In the reverse order of their references.
DROP TABLE old_image_lease;
DROP TABLE old_image_failure;
DROP TABLE old_image_use;
DROP TABLE old_image_cache;
DROP TABLE old_image_tally;
DROP TABLE old_recent_search;
DROP TABLE old_server_key;
DROP TABLE old_identity;
DROP TABLE old_login_attempt;
DROP TABLE old_session;
DROP TABLE old_api_token;
DROP TABLE old_passphrase;
DROP TABLE old_notice;
DROP TABLE old_reader;
DROP TABLE old_favorite;
DROP TABLE old_user;
DROP TABLE old_first_sync;
DROP TABLE old_new_offers;
DROP TABLE old_change;
DROP TABLE old_sync_run;
DROP TABLE old_missing_offer;
DROP TABLE old_found_offer;
DROP TABLE old_offer_detail;
DROP TABLE old_offer;
DROP TABLE old_feed_fetch;
DROP TABLE old_feed;
