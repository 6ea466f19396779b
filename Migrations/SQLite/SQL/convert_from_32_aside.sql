-- First part of the conversion of a database of version 32: renames its tables to old_…, so that the first set
-- of migrations can create its own, and drops the search index, the indexes and the triggers.
--
-- This script runs with foreign keys off and with PRAGMA legacy_alter_table, so that what other programs added to the
-- database is not read.

DROP TRIGGER IF EXISTS image_cache_is_bounded;
DROP TRIGGER IF EXISTS image_limit_is_kept;
DROP TRIGGER IF EXISTS image_limit_is_not_replaced;
DROP TRIGGER IF EXISTS image_limit_is_there;
DROP TRIGGER IF EXISTS api_token_holds_100;
DROP TABLE IF EXISTS search_term;
DROP TABLE IF EXISTS offer_search;
DROP TABLE IF EXISTS search_state;
DROP VIEW IF EXISTS search_text;
DROP VIEW IF EXISTS offer_text;
DROP INDEX IF EXISTS offer_by_id;
DROP INDEX IF EXISTS offer_by_gone;
DROP INDEX IF EXISTS offer_detail_by_expiry;
DROP INDEX IF EXISTS sync_run_by_feed;
DROP INDEX IF EXISTS change_by_offer;
DROP INDEX IF EXISTS found_offer_by_feed;
DROP INDEX IF EXISTS missing_offer_by_feed;
DROP INDEX IF EXISTS favorite_by_offer;
DROP INDEX IF EXISTS favorite_by_sharing;
DROP INDEX IF EXISTS session_by_user;
DROP INDEX IF EXISTS login_attempt_by_last_failure;

ALTER TABLE feed RENAME TO old_feed;
ALTER TABLE feed_fetch RENAME TO old_feed_fetch;
ALTER TABLE offer RENAME TO old_offer;
ALTER TABLE offer_detail RENAME TO old_offer_detail;
ALTER TABLE found_offer RENAME TO old_found_offer;
ALTER TABLE missing_offer RENAME TO old_missing_offer;
ALTER TABLE sync_run RENAME TO old_sync_run;
ALTER TABLE change RENAME TO old_change;
ALTER TABLE new_offers RENAME TO old_new_offers;
ALTER TABLE first_sync RENAME TO old_first_sync;
ALTER TABLE user RENAME TO old_user;
ALTER TABLE favorite RENAME TO old_favorite;
ALTER TABLE reader RENAME TO old_reader;
ALTER TABLE notice RENAME TO old_notice;
ALTER TABLE passphrase RENAME TO old_passphrase;
ALTER TABLE api_token RENAME TO old_api_token;
ALTER TABLE session RENAME TO old_session;
ALTER TABLE login_attempt RENAME TO old_login_attempt;
ALTER TABLE identity RENAME TO old_identity;
ALTER TABLE server_key RENAME TO old_server_key;
ALTER TABLE recent_search RENAME TO old_recent_search;
ALTER TABLE image_tally RENAME TO old_image_tally;
ALTER TABLE image_cache RENAME TO old_image_cache;
ALTER TABLE image_use RENAME TO old_image_use;
ALTER TABLE image_failure RENAME TO old_image_failure;
ALTER TABLE image_lease RENAME TO old_image_lease;
