-- A database of the last version before the first set of migrations, with every kind of row.
CREATE TABLE feed ( feed_key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT COLLATE "C" NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9-]+$'), source TEXT NOT NULL CHECK (source <> ''), subscribed_at BIGINT NOT NULL, unsubscribed_at BIGINT, title TEXT, shared TEXT, chosen_source TEXT CHECK (chosen_source <> ''), source_origin TEXT CHECK (source_origin IN ('machine', 'remote', 'import')), document_hash BYTEA CHECK (length(document_hash) = 16), document_head_hash BYTEA CHECK (length(document_head_hash) = 16), document_bytes BIGINT, current_count BIGINT NOT NULL DEFAULT 0 CHECK (current_count >= 0), gone_count BIGINT NOT NULL DEFAULT 0 CHECK (gone_count >= 0), CHECK (source_origin IS NULL OR chosen_source IS NOT NULL), CHECK ((document_hash IS NULL) = (document_bytes IS NULL)), CHECK ((document_hash IS NULL) = (document_head_hash IS NULL)) );
CREATE TABLE feed_fetch ( feed_key BIGINT PRIMARY KEY REFERENCES feed, etag TEXT, last_modified TEXT, validated_mark TEXT, validated_rules BIGINT, full_fetch_at BIGINT, next_due_at BIGINT, wait_until BIGINT, failure_count BIGINT NOT NULL DEFAULT 0 CHECK (failure_count >= 0), failing_since BIGINT, stopped_at BIGINT, moved_from TEXT, moved_to TEXT, moved_count BIGINT NOT NULL DEFAULT 0 CHECK (moved_count >= 0), held_count BIGINT NOT NULL DEFAULT 0 CHECK (held_count >= 0), held_since BIGINT, CHECK ((validated_mark IS NULL) = (validated_rules IS NULL)), CHECK ((etag IS NULL AND last_modified IS NULL) OR validated_mark IS NOT NULL), CHECK ((failure_count = 0) = (failing_since IS NULL)), CHECK ((moved_from IS NULL) = (moved_to IS NULL)), CHECK ((moved_from IS NULL) = (moved_count = 0)), CHECK ((held_count = 0) = (held_since IS NULL)) );
CREATE TABLE offer ( offer_key BIGINT PRIMARY KEY, feed_key BIGINT NOT NULL REFERENCES feed, id TEXT COLLATE "C" NOT NULL CHECK (id <> ''), content_hash BIGINT NOT NULL, gone_at BIGINT, first_seen_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, found_at BIGINT, first_run_id BIGINT, name TEXT COLLATE "C" NOT NULL CHECK (name <> ''), description TEXT COLLATE "C", terms TEXT COLLATE "C", reward_text TEXT COLLATE "C", reward_minor_units BIGINT, reward_currency TEXT COLLATE "C", reward_percent_hundredths BIGINT, reward_up_to BOOLEAN NOT NULL, image_url TEXT COLLATE "C", url TEXT COLLATE "C", retailer TEXT COLLATE "C", categories TEXT COLLATE "C", starts_at BIGINT, expires_at BIGINT, latitude DOUBLE PRECISION CHECK (latitude BETWEEN -90 AND 90), longitude DOUBLE PRECISION CHECK (longitude BETWEEN -180 AND 180), attributes TEXT COLLATE "C", name_key BYTEA NOT NULL, retailer_key BYTEA, category_keys BYTEA[], search TSVECTOR NOT NULL, UNIQUE (feed_key, id), CHECK ((reward_minor_units IS NULL) = (reward_currency IS NULL)), CHECK (reward_minor_units IS NULL OR reward_percent_hundredths IS NULL) );
CREATE INDEX offer_by_feed ON offer (feed_key, offer_key);
CREATE INDEX offer_by_gone ON offer (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX offer_by_found ON offer (feed_key, found_at) WHERE found_at IS NOT NULL;
CREATE INDEX offer_by_expiry ON offer (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX offer_by_search ON offer USING gin (search);
CREATE TABLE search_word ( word TEXT COLLATE "C" PRIMARY KEY CHECK (word <> '') );
CREATE TABLE sync_run ( run_id BIGINT PRIMARY KEY, feed_key BIGINT NOT NULL REFERENCES feed, source TEXT NOT NULL, started_at BIGINT NOT NULL, duration_milliseconds BIGINT NOT NULL, outcome TEXT NOT NULL CHECK (outcome IN ('updated', 'unchanged', 'quarantined', 'failed')), bytes BIGINT NOT NULL, new_count BIGINT NOT NULL, changed_count BIGINT NOT NULL, gone_count BIGINT NOT NULL, back_count BIGINT NOT NULL, unchanged_count BIGINT NOT NULL, skipped_count BIGINT NOT NULL, mended_count BIGINT NOT NULL, problems TEXT, error_code TEXT, error_message TEXT, error_hint TEXT, error_remedy TEXT, request_reason TEXT CHECK (request_reason <> ''), request_count BIGINT, request_status BIGINT, request_is_conditional BOOLEAN, CHECK ((error_code IS NULL) = (error_message IS NULL)), CHECK ((outcome IN ('quarantined', 'failed')) = (error_code IS NOT NULL)), CHECK ((request_reason IS NULL) = (request_count IS NULL)), CHECK ((request_reason IS NULL) = (request_is_conditional IS NULL)) );
CREATE INDEX sync_run_by_feed ON sync_run (feed_key, run_id);
CREATE TABLE change ( change_id BIGINT PRIMARY KEY, run_id BIGINT NOT NULL REFERENCES sync_run, feed_key BIGINT NOT NULL REFERENCES feed, offer_key BIGINT NOT NULL, kind TEXT COLLATE "C" NOT NULL CHECK ( kind IN ('first', 'new', 'up', 'down', 'changed', 'gone', 'back')), at BIGINT NOT NULL, offer_count BIGINT CHECK (offer_count > 0), fields TEXT, CHECK ((kind IN ('up', 'down', 'changed')) = (fields IS NOT NULL)), CHECK ((kind = 'first') = (offer_count IS NOT NULL)) );
CREATE INDEX change_by_offer ON change (offer_key, change_id);
CREATE INDEX change_first ON change (change_id) WHERE kind = 'first';
CREATE INDEX change_by_run ON change USING brin (run_id) WITH (autosummarize = on);
CREATE TABLE commit_order ( order_key BIGINT PRIMARY KEY CHECK (order_key = 1), last_offer_key BIGINT NOT NULL, last_change_id BIGINT NOT NULL, last_run_id BIGINT NOT NULL );
INSERT INTO commit_order VALUES (1, 0, 0, 0);
CREATE TABLE commit_count ( shard BIGINT PRIMARY KEY, number BIGINT NOT NULL );
INSERT INTO commit_count SELECT shard, 0 FROM generate_series(0, 15) AS shard;
CREATE TABLE sync_lease ( feed TEXT COLLATE "C" PRIMARY KEY, token BIGINT NOT NULL, until TIMESTAMPTZ );
CREATE TABLE account ( user_key BIGINT PRIMARY KEY, name TEXT NOT NULL CHECK (char_length(name) BETWEEN 1 AND 64), folded_name TEXT COLLATE "C" NOT NULL UNIQUE CHECK (folded_name <> ''), role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin')), created_at BIGINT NOT NULL, last_seen_at BIGINT, CHECK (user_key <> 1 OR role = 'admin') );
INSERT INTO account (user_key, name, folded_name, role, created_at) VALUES (1, 'owner', 'owner', 'admin', floor(extract(epoch FROM clock_timestamp())));
CREATE TABLE account_order ( order_key BIGINT PRIMARY KEY CHECK (order_key = 1), last_user_key BIGINT NOT NULL );
INSERT INTO account_order VALUES (1, 1);
CREATE TABLE favorite ( user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE, feed TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, shared_at BIGINT, PRIMARY KEY (user_key, feed, id) );
CREATE INDEX favorite_by_offer ON favorite (feed, id);
CREATE INDEX favorite_by_sharing ON favorite (feed, id, shared_at) WHERE shared_at IS NOT NULL;
CREATE TABLE recent_search ( user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE, search_order BIGINT NOT NULL, expression TEXT COLLATE "C" NOT NULL CHECK (expression <> ''), feed TEXT COLLATE "C" NOT NULL, words TEXT COLLATE "C" NOT NULL CHECK (words <> ''), searched_at BIGINT NOT NULL, PRIMARY KEY (user_key, search_order) );
CREATE TABLE reader ( user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE, name TEXT COLLATE "C" NOT NULL CHECK (name <> ''), change_id BIGINT NOT NULL, read_at BIGINT NOT NULL, PRIMARY KEY (user_key, name) );
CREATE TABLE notice ( user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE, kind TEXT COLLATE "C" NOT NULL CHECK (kind <> ''), feed TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, about BIGINT NOT NULL, told_at BIGINT NOT NULL, PRIMARY KEY (user_key, kind, feed, id, about) );
CREATE TABLE passphrase ( user_key BIGINT PRIMARY KEY REFERENCES account ON DELETE CASCADE, salt BYTEA NOT NULL CHECK (length(salt) = 16), rounds BIGINT NOT NULL CHECK (rounds > 1), block_size BIGINT NOT NULL CHECK (block_size > 0), parallelism BIGINT NOT NULL CHECK (parallelism > 0), hash BYTEA NOT NULL CHECK (length(hash) = 32), set_at BIGINT NOT NULL );
CREATE TABLE api_token ( token_key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE, name TEXT COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 64), hash BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32), scope TEXT NOT NULL CHECK (scope IN ('read', 'favorites', 'sync', 'admin')), created_at BIGINT NOT NULL, expires_at BIGINT, last_used_at BIGINT, UNIQUE (user_key, name) );
CREATE TABLE session ( session_id BYTEA PRIMARY KEY CHECK (length(session_id) = 32), user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE, fingerprint BYTEA CHECK (length(fingerprint) = 32), created_at BIGINT NOT NULL, last_seen_at BIGINT NOT NULL, peer TEXT NOT NULL CHECK (char_length(peer) <= 64), user_agent TEXT NOT NULL CHECK (char_length(user_agent) <= 200) );
CREATE INDEX session_by_user ON session (user_key, last_seen_at);
CREATE TABLE login_attempt ( network TEXT COLLATE "C" PRIMARY KEY CHECK (char_length(network) BETWEEN 1 AND 64), failure_count BIGINT NOT NULL CHECK (failure_count > 0), last_failure_at BIGINT NOT NULL, wait_until BIGINT NOT NULL );
CREATE INDEX login_attempt_by_last_failure ON login_attempt (last_failure_at);
CREATE TABLE identity ( user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE, issuer TEXT COLLATE "C" NOT NULL CHECK (char_length(issuer) BETWEEN 1 AND 1024), subject TEXT COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255), added_at BIGINT NOT NULL, PRIMARY KEY (user_key, issuer), UNIQUE (issuer, subject) );
CREATE TABLE image_tally ( tally_key BIGINT PRIMARY KEY CHECK (tally_key = 1), image_limit BIGINT NOT NULL CHECK (image_limit BETWEEN 1 AND 10000), hit_count BIGINT NOT NULL CHECK (hit_count >= 0), miss_count BIGINT NOT NULL CHECK (miss_count >= 0), eviction_count BIGINT NOT NULL CHECK (eviction_count >= 0) );
INSERT INTO image_tally VALUES (1, 50, 0, 0, 0);
CREATE TABLE image_cache ( url TEXT COLLATE "C" PRIMARY KEY CHECK (url <> ''), content_type TEXT NOT NULL CHECK ( content_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif')), width BIGINT NOT NULL CHECK (width > 0), height BIGINT NOT NULL CHECK (height > 0), etag TEXT CHECK (etag <> ''), last_modified TEXT CHECK (last_modified <> ''), fetched_at BIGINT NOT NULL, fresh_until BIGINT NOT NULL, bytes BYTEA NOT NULL CHECK (length(bytes) BETWEEN 1 AND 5242880), CHECK (width * height <= 50000000) );
CREATE TABLE image_use ( url TEXT COLLATE "C" PRIMARY KEY REFERENCES image_cache ON UPDATE CASCADE ON DELETE CASCADE, use_order BIGINT NOT NULL CHECK (use_order > 0) );
CREATE FUNCTION image_cache_is_bounded() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  most BIGINT;
BEGIN
  -- An update of the row, not only a lock, so that a stricter isolation level sees the conflict.
  UPDATE image_tally SET image_limit = image_limit WHERE tally_key = 1
    RETURNING image_limit INTO STRICT most;
  IF (SELECT count(*) FROM image_cache) > most THEN
    RAISE EXCEPTION 'image_cache holds % images at most: remove one first', most
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER image_cache_is_bounded AFTER INSERT ON image_cache FOR EACH STATEMENT EXECUTE FUNCTION image_cache_is_bounded();
CREATE TRIGGER image_limit_is_kept AFTER UPDATE OF image_limit ON image_tally FOR EACH ROW WHEN (NEW.image_limit < OLD.image_limit) EXECUTE FUNCTION image_cache_is_bounded();
CREATE TABLE image_failure ( url TEXT COLLATE "C" PRIMARY KEY CHECK (url <> ''), code TEXT NOT NULL CHECK (code <> ''), reason TEXT NOT NULL CHECK (reason <> ''), until BIGINT NOT NULL );
CREATE TABLE image_lease ( url TEXT COLLATE "C" PRIMARY KEY CHECK (url <> ''), holder BIGINT NOT NULL, until TIMESTAMPTZ NOT NULL );
CREATE INDEX offer_by_name ON offer (feed_key, left(name, 64));
CREATE TABLE server_key ( purpose TEXT COLLATE "C" PRIMARY KEY CHECK (length(purpose) BETWEEN 1 AND 64), bytes BYTEA NOT NULL CHECK (length(bytes) = 32) );
CREATE TABLE missing_offer ( offer_key BIGINT PRIMARY KEY REFERENCES offer ON DELETE CASCADE, feed_key BIGINT NOT NULL REFERENCES feed, since BIGINT );
CREATE INDEX missing_offer_by_feed ON missing_offer (feed_key);
ALTER TABLE feed_fetch ADD COLUMN held_new_count BIGINT NOT NULL DEFAULT 0 CHECK (held_new_count >= 0);
ALTER TABLE feed_fetch ADD COLUMN held_until BIGINT;
UPDATE feed_fetch SET held_count = 0, held_since = NULL, etag = NULL, last_modified = NULL, validated_mark = NULL, validated_rules = NULL WHERE held_count > 0;
ALTER TABLE feed ADD COLUMN presentation TEXT;
ALTER TABLE image_cache ADD COLUMN thumbnail BYTEA CHECK (length(thumbnail) BETWEEN 1 AND 262144);
ALTER TABLE image_cache ADD COLUMN thumbnail_problem TEXT CHECK (thumbnail_problem <> '');
ALTER TABLE image_cache ADD CONSTRAINT image_cache_thumbnail_is_one CHECK (thumbnail IS NULL OR thumbnail_problem IS NULL);
CREATE FUNCTION image_cache_forgets_thumbnail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.thumbnail = NULL; NEW.thumbnail_problem = NULL; RETURN NEW;
END $$;
CREATE TRIGGER image_cache_forgets_thumbnail BEFORE UPDATE OF bytes ON image_cache FOR EACH ROW EXECUTE FUNCTION image_cache_forgets_thumbnail();
DELETE FROM account;
DELETE FROM commit_order;
DELETE FROM account_order;
DELETE FROM image_tally;
INSERT INTO feed (feed_key, name, source, subscribed_at, unsubscribed_at, title, shared, presentation, chosen_source, source_origin, document_hash, document_head_hash, document_bytes, current_count, gone_count) OVERRIDING SYSTEM VALUE VALUES
(1, 'ibotta', 'sample', 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0),
(2, 'movies', 'https://m.example/x', 10, 13, 'Films', '[["Artist","A"]]', '{"layout":"grid"}', 'https://n.example/', 'remote', decode(repeat('00', 16), 'hex'), decode(repeat('00', 16), 'hex'), 99, 5, 1),
(3, 'dead', 'https://d.example/x', 11, 11, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0),
(4, 'oldspans', '/x', 12, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 4, 0);
INSERT INTO feed_fetch (feed_key, etag, last_modified, validated_mark, validated_rules, full_fetch_at, next_due_at, wait_until, failure_count, failing_since, stopped_at, moved_from, moved_to, moved_count, held_count, held_since, held_new_count, held_until) VALUES
(2, '"e"', 'Mon', 'm', -5, 1, 2, 3, 4, 5, 6, 'a', 'b', 1, 2, 7, 3, 8),
(3, NULL, NULL, NULL, NULL, NULL, 9, NULL, 1, 1, NULL, NULL, NULL, 0, 0, NULL, 0, NULL);
INSERT INTO offer (offer_key, feed_key, id, content_hash, first_run_id, first_seen_at, changed_at, gone_at, found_at, starts_at, expires_at, reward_minor_units, reward_currency, reward_percent_hundredths, reward_up_to, latitude, longitude, name_key, retailer_key, category_keys, name, reward_text, retailer, categories, image_url, url, description, terms, attributes, search) VALUES
(5000, 2, 'p', 1, 20, 100, 100, NULL, NULL, NULL, NULL, NULL, NULL, 500, false, NULL, NULL, '\x6167797074656e20300137', NULL, NULL, 'Ägypten 007', '5%', NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''),
(5001, 2, 'a', 2, 20, 100, 200, NULL, NULL, 1, 2, 100, 'USD', NULL, true, 1.5, -2.5, '\x73747261737365', '\x61727a7465202620636f', '{"\\x73757373","\\x622030023132","\\x78"}', 'Straße', '$1', 'Ärzte & Co', '["Süß","b 12","x"]', 'i', 'u', 'd', 't', '[["L","v"],["M","w"]]', ''),
(5002, 2, 'b', 3, 20, 100, 200, NULL, NULL, NULL, 999999999999, NULL, NULL, NULL, false, NULL, NULL, '\x62', NULL, NULL, 'b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''),
(5003, 2, 'c', 4, 20, 100, 100, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x63', NULL, '{}', 'c', 'free', NULL, '[]', NULL, NULL, NULL, NULL, NULL, ''),
(5004, 2, 'n', 5, NULL, 200, 200, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x6e', NULL, NULL, 'n', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''),
(5005, 2, 'f1', 6, NULL, 150, 150, NULL, 150, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x666f756e64', '\x72', NULL, 'found', NULL, 'r', NULL, NULL, NULL, NULL, NULL, NULL, ''),
(5006, 2, 'f2', 7, NULL, 150, 150, NULL, 151, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x737461727265642066696e64', NULL, NULL, 'starred find', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''),
(5007, 2, 'g', 8, NULL, 100, 100, 200, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x676f6e65', NULL, NULL, 'gone', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''),
(6001, 4, 's1', 1, NULL, 400, 400, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x73300131', NULL, NULL, 's1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''),
(6003, 4, 's3', 1, NULL, 400, 400, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x73300133', NULL, NULL, 's3', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''),
(6004, 4, 's4', 1, NULL, 500, 500, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x73300134', NULL, NULL, 's4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ''),
(6005, 4, 's5', 1, NULL, 500, 500, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, '\x73300135', NULL, NULL, 's5', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '');
INSERT INTO missing_offer (offer_key, feed_key, since) VALUES
(5002, 2, 77),
(5003, 2, NULL);
INSERT INTO sync_run (run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count, changed_count, gone_count, back_count, unchanged_count, skipped_count, mended_count, problems, error_code, error_message, error_hint, error_remedy, request_reason, request_count, request_status, request_is_conditional) VALUES
(20, 2, 'u', 100, 5, 'updated', 9, 4, 0, 0, 0, 0, 1, 2, '[{"position":1,"effect":"skipped","reason":"r"}]', NULL, NULL, NULL, NULL, 'asked', 3, 200, false),
(21, 2, 'u', 200, 5, 'quarantined', 9, 1, 3, 1, 1, 0, 0, 0, NULL, 'held', 'm', 'h', '{"force":{"feed":"movies"}}', NULL, NULL, NULL, NULL),
(22, 3, 'u', 300, 5, 'failed', 0, 0, 0, 0, 0, 0, 0, 0, NULL, 'sourceFailed', 'm', NULL, NULL, 'due', 1, NULL, true),
(23, 4, '/x', 400, 5, 'updated', 9, 3, 0, 0, 0, 2, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(24, 4, '/x', 500, 5, 'updated', 9, 3, 0, 0, 0, 2, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO change (change_id, run_id, feed_key, offer_key, kind, at, offer_count, fields) VALUES
(7003, 20, 2, 5003, 'first', 100, 4, NULL),
(7004, 21, 2, 5001, 'up', 200, NULL, '{"reward":{"from":{"text":"1%","kind":"percent","minor_units":null,"currency":null,"percent":2.5,"up_to":false},"to":{"text":"3%","kind":"percent","minor_units":null,"currency":null,"percent":3,"up_to":false}}}'),
(7005, 21, 2, 5001, 'down', 200, NULL, '{"reward":{"from":{"text":"a","minor_units":500,"currency":"USD","percent":null,"up_to":true},"to":{"text":"b","minor_units":100,"currency":"USD","percent":null,"up_to":true}}}'),
(7006, 21, 2, 5001, 'changed', 200, NULL, '{"reward":{"from":null,"to":{"text":"b","minor_units":100,"currency":"USD","percent":null,"up_to":true}}}'),
(7007, 21, 2, 5001, 'changed', 200, NULL, '{"reward":{"from":{"text":"a","minor_units":500,"currency":"USD","percent":null,"up_to":true},"to":{"text":"b","minor_units":100,"currency":"EUR","percent":null,"up_to":true}}}'),
(7008, 21, 2, 5001, 'up', 200, NULL, '{"reward":{"from":{"text":"a","minor_units":500,"currency":null,"percent":null,"up_to":false},"to":{"text":"b","minor_units":600,"currency":null,"percent":null,"up_to":false}},"name":{"from":"x","to":"y"}}'),
(7009, 21, 2, 5001, 'changed', 200, NULL, '{"reward":{"from":{"text":"a","minor_units":500,"currency":"USD","percent":null,"up_to":false},"to":{"text":"b","minor_units":600,"currency":"USD","percent":null,"up_to":true}}}'),
(7010, 21, 2, 5001, 'changed', 200, NULL, '{"reward":{"from":{"text":"a","minor_units":null,"currency":null,"percent":null,"up_to":false},"to":{"text":"b","minor_units":null,"currency":null,"percent":null,"up_to":false}}}'),
(7011, 21, 2, 5001, 'changed', 200, NULL, '{"name":{"from":"\"reward\"","to":"y"}}'),
(7012, 21, 2, 5002, 'back', 200, NULL, NULL),
(7013, 21, 2, 5007, 'gone', 200, NULL, NULL),
(7014, 21, 2, 5004, 'new', 200, NULL, NULL),
(7015, 21, 2, 4444, 'gone', 200, NULL, NULL),
(7016, 21, 2, 0, 'gone', 200, NULL, NULL),
(7018, 23, 4, 6001, 'new', 400, NULL, NULL),
(7020, 23, 4, 6003, 'new', 400, NULL, NULL),
(7021, 24, 4, 6004, 'new', 500, NULL, NULL),
(7022, 24, 4, 6005, 'new', 500, NULL, NULL),
(7024, 24, 4, 4445, 'new', 500, NULL, NULL);
INSERT INTO account (user_key, name, folded_name, role, created_at, last_seen_at) VALUES
(1, 'owner', 'owner', 'admin', 8, NULL),
(2, 'Ana', 'ana', 'member', 1, 2),
(5, 'Bo', 'bo', 'viewer', 3, NULL);
INSERT INTO account_order (order_key, last_user_key) VALUES
(1, 9);
INSERT INTO favorite (user_key, feed, id, created_at, shared_at) VALUES
(1, 'movies', 'a', 1, NULL),
(2, 'movies', 'f2', 2, 3),
(5, 'nofeed', 'z', 4, NULL);
INSERT INTO reader (user_key, name, change_id, read_at) VALUES
(1, 'default', 7005, 9),
(2, 'mail', 8000, 9);
INSERT INTO notice (user_key, kind, feed, id, about, told_at) VALUES
(1, 'expiring', 'movies', 'a', 5, 6),
(2, 'failing', 'dead', '', 7, 8);
INSERT INTO passphrase (user_key, salt, rounds, block_size, parallelism, hash, set_at) VALUES
(2, decode(repeat('00', 16), 'hex'), 16384, 8, 1, decode(repeat('00', 32), 'hex'), 9);
INSERT INTO api_token (token_key, user_key, name, hash, scope, created_at, expires_at, last_used_at) OVERRIDING SYSTEM VALUE VALUES
(1, 2, 't', decode(repeat('00', 32), 'hex'), 'read', 1, 2, 3);
INSERT INTO session (session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent) VALUES
(decode(repeat('00', 32), 'hex'), 2, NULL, 1, 2, 'p', 'ua'),
('\x0000000000000000000000000000000000000000000000000000000000000002', 1, decode(repeat('00', 32), 'hex'), 1, 2, 'p', 'ua');
INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until) VALUES
('10.0.0.1', 3, 4, 5),
('account 2', 1, 1, 1);
INSERT INTO identity (user_key, issuer, subject, added_at) VALUES
(2, 'https://i', 's', 3);
INSERT INTO server_key (purpose, bytes) VALUES
('pending login', decode(repeat('00', 32), 'hex'));
INSERT INTO recent_search (user_key, search_order, expression, feed, words, searched_at) VALUES
(1, 1, '"a"', '', 'a', 1),
(1, 3, '"c"', '', 'c', 3),
(2, 2, '"b"', 'movies', 'B', 2);
INSERT INTO image_tally (tally_key, image_limit, hit_count, miss_count, eviction_count) VALUES
(1, 52, 4, 5, 6);
INSERT INTO image_cache (url, content_type, width, height, etag, last_modified, fetched_at, fresh_until, thumbnail_problem, thumbnail, bytes) VALUES
('u1', 'image/png', 1, 1, 'e', 'l', 1, 2, NULL, '\x02', '\x01'),
('u2', 'image/gif', 1, 1, NULL, NULL, 1, 2, 'p', NULL, '\x03'),
('u3', 'image/gif', 1, 1, NULL, NULL, 1, 2, NULL, NULL, '\x03');
INSERT INTO image_use (url, use_order) VALUES
('u1', 9),
('u2', 4);
INSERT INTO image_failure (url, code, reason, until) VALUES
('x', 'c', 'r', 5);
INSERT INTO commit_order (order_key, last_offer_key, last_change_id, last_run_id) VALUES
(1, 6006, 8000, 24);
SELECT setval('feed_feed_key_seq', 4);
SELECT setval('api_token_token_key_seq', 8);
CREATE TABLE schema_migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, is_expanding BOOLEAN NOT NULL, run_at TIMESTAMPTZ NOT NULL DEFAULT now());
INSERT INTO schema_migration (number, name, is_expanding) SELECT number, 'version ' || number, number > 3 FROM generate_series(1, 9) AS number;
