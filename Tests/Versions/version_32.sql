-- A database of the last version before the first set of migrations, with every kind of row.
CREATE TABLE offer ( offer_key INTEGER PRIMARY KEY, feed_key INTEGER NOT NULL REFERENCES feed, id TEXT NOT NULL CHECK (id <> ''), content_hash INTEGER NOT NULL, gone_at INTEGER, first_seen_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, name TEXT NOT NULL CHECK (name <> ''), description TEXT, terms TEXT, reward_text TEXT, reward_minor_units INTEGER, reward_currency TEXT, reward_percent_hundredths INTEGER, reward_up_to INTEGER NOT NULL CHECK (reward_up_to = 0 OR reward_up_to = 1), image_url TEXT, url TEXT, CHECK ((reward_minor_units IS NULL) = (reward_currency IS NULL)), CHECK (reward_minor_units IS NULL OR reward_percent_hundredths IS NULL) ) STRICT;
CREATE UNIQUE INDEX offer_by_id ON offer (feed_key, id);
CREATE TABLE change ( change_id INTEGER PRIMARY KEY, offer_key INTEGER NOT NULL, run_id INTEGER NOT NULL REFERENCES sync_run, kind TEXT NOT NULL CHECK ( kind = 'new' OR kind = 'changed' OR kind = 'gone' OR kind = 'back' ), fields TEXT CHECK (fields IS NULL OR json_valid(fields)), CHECK ((kind = 'changed') <= (fields IS NOT NULL)) ) STRICT;
CREATE INDEX change_by_offer ON change (offer_key, change_id) WHERE kind <> 'new';
CREATE TABLE offer_detail ( offer_key INTEGER PRIMARY KEY REFERENCES offer, retailer TEXT, categories TEXT CHECK (categories IS NULL OR json_valid(categories)), starts_at INTEGER, expires_at INTEGER, latitude REAL CHECK (latitude IS NULL OR (latitude >= -90 AND latitude <= 90)), longitude REAL CHECK (longitude IS NULL OR (longitude >= -180 AND longitude <= 180)), attributes TEXT CHECK (attributes IS NULL OR json_valid(attributes)) ) STRICT;
CREATE TABLE feed_fetch ( feed_key INTEGER PRIMARY KEY REFERENCES feed, etag TEXT, last_modified TEXT, validated_mark TEXT, validated_rules INTEGER, full_fetch_at INTEGER, next_due_at INTEGER, wait_until INTEGER, failure_count INTEGER NOT NULL DEFAULT 0 CHECK (failure_count >= 0), failing_since INTEGER, stopped_at INTEGER, moved_from TEXT, moved_to TEXT, moved_count INTEGER NOT NULL DEFAULT 0 CHECK (moved_count >= 0), held_count INTEGER NOT NULL DEFAULT 0 CHECK (held_count >= 0), held_since INTEGER, held_new_count INTEGER NOT NULL DEFAULT 0 CHECK (held_new_count >= 0), held_until INTEGER, CHECK ((validated_mark IS NULL) = (validated_rules IS NULL)), CHECK ((etag IS NULL AND last_modified IS NULL) OR validated_mark IS NOT NULL), CHECK ((failure_count = 0) = (failing_since IS NULL)), CHECK ((moved_from IS NULL) = (moved_to IS NULL)), CHECK ((moved_from IS NULL) = (moved_count = 0)), CHECK ((held_count = 0) = (held_since IS NULL)) ) STRICT;
CREATE INDEX offer_by_gone ON offer (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX offer_detail_by_expiry ON offer_detail (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE image_failure ( url TEXT PRIMARY KEY CHECK (url <> ''), code TEXT NOT NULL CHECK (code <> ''), reason TEXT NOT NULL CHECK (reason <> ''), until INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE TABLE image_lease ( url TEXT PRIMARY KEY CHECK (url <> ''), holder INTEGER NOT NULL, until_milliseconds INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE offer_search USING fts5 ( name, description, terms, retailer, categories, attributes, content = 'search_text', content_rowid = 'offer_key', tokenize = 'unicode61 remove_diacritics 2' );
CREATE VIRTUAL TABLE search_term USING fts5vocab ('offer_search', 'row');
CREATE TABLE search_state ( state_key INTEGER PRIMARY KEY CHECK (state_key = 1), is_current INTEGER NOT NULL CHECK (is_current IN (0, 1)) ) STRICT;
CREATE TABLE new_offers ( change_id INTEGER PRIMARY KEY REFERENCES change, offer_count INTEGER NOT NULL CHECK (offer_count > 1 AND offer_count <= change_id) ) STRICT;
CREATE TABLE login_attempt ( network TEXT PRIMARY KEY NOT NULL CHECK (length(network) BETWEEN 1 AND 64), failure_count INTEGER NOT NULL CHECK (failure_count > 0), last_failure_at INTEGER NOT NULL, wait_until INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempt_by_last_failure ON login_attempt (last_failure_at);
CREATE TABLE found_offer ( offer_key INTEGER PRIMARY KEY REFERENCES offer ON DELETE CASCADE, feed_key INTEGER NOT NULL REFERENCES feed, found_at INTEGER NOT NULL, is_listed INTEGER NOT NULL CHECK (is_listed IN (0, 1)) ) STRICT;
CREATE INDEX found_offer_by_feed ON found_offer (feed_key, is_listed, found_at);
CREATE TABLE first_sync ( run_id INTEGER PRIMARY KEY REFERENCES sync_run ON DELETE CASCADE, change_id INTEGER NOT NULL UNIQUE REFERENCES change ON DELETE CASCADE, offer_count INTEGER NOT NULL CHECK (offer_count > 0) ) STRICT;
CREATE TABLE user ( user_key INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64), folded_name TEXT NOT NULL UNIQUE CHECK (folded_name <> ''), role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin')), created_at INTEGER NOT NULL, last_seen_at INTEGER, CHECK (user_key <> 1 OR role = 'admin') ) STRICT;
CREATE TABLE reader ( user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, name TEXT NOT NULL CHECK (name <> ''), change_id INTEGER NOT NULL, read_at INTEGER NOT NULL, PRIMARY KEY (user_key, name) ) STRICT, WITHOUT ROWID;
CREATE TABLE notice ( user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, kind TEXT NOT NULL CHECK (kind <> ''), feed TEXT NOT NULL, id TEXT NOT NULL, about INTEGER NOT NULL, told_at INTEGER NOT NULL, PRIMARY KEY (user_key, kind, feed, id, about) ) STRICT, WITHOUT ROWID;
CREATE TABLE passphrase ( user_key INTEGER PRIMARY KEY REFERENCES user ON DELETE CASCADE, salt BLOB NOT NULL CHECK (length(salt) = 16), rounds INTEGER NOT NULL CHECK (rounds > 1), block_size INTEGER NOT NULL CHECK (block_size > 0), parallelism INTEGER NOT NULL CHECK (parallelism > 0), hash BLOB NOT NULL CHECK (length(hash) = 32), set_at INTEGER NOT NULL ) STRICT;
CREATE TABLE api_token ( token_key INTEGER PRIMARY KEY AUTOINCREMENT, user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64), hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32), scope TEXT NOT NULL CHECK (scope IN ('read', 'favorites', 'sync', 'admin')), created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER, UNIQUE (user_key, name) ) STRICT;
CREATE TABLE session ( session_id BLOB PRIMARY KEY NOT NULL CHECK (length(session_id) = 32), user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, fingerprint BLOB CHECK (length(fingerprint) = 32), created_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL, peer TEXT NOT NULL CHECK (length(peer) <= 64), user_agent TEXT NOT NULL CHECK (length(user_agent) <= 200) ) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_user ON session (user_key, last_seen_at);
CREATE TABLE favorite ( user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, feed TEXT NOT NULL, id TEXT NOT NULL, created_at INTEGER NOT NULL, shared_at INTEGER, PRIMARY KEY (user_key, feed, id) ) STRICT, WITHOUT ROWID;
CREATE INDEX favorite_by_offer ON favorite (feed, id);
CREATE INDEX favorite_by_sharing ON favorite (feed, id, shared_at) WHERE shared_at IS NOT NULL;
CREATE TABLE identity ( user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, issuer TEXT NOT NULL CHECK (length(issuer) BETWEEN 1 AND 1024), subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255), added_at INTEGER NOT NULL, PRIMARY KEY (user_key, issuer), UNIQUE (issuer, subject) ) STRICT, WITHOUT ROWID;
CREATE TABLE server_key ( purpose TEXT PRIMARY KEY NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64), bytes BLOB NOT NULL CHECK (length(bytes) = 32) ) STRICT, WITHOUT ROWID;
CREATE TABLE missing_offer ( offer_key INTEGER PRIMARY KEY REFERENCES offer ON DELETE CASCADE, feed_key INTEGER NOT NULL REFERENCES feed, since INTEGER ) STRICT;
CREATE INDEX missing_offer_by_feed ON missing_offer (feed_key);
CREATE VIEW offer_text AS SELECT offer.offer_key, offer.name, offer.description, offer.terms, detail.retailer, CASE WHEN detail.categories IS NULL THEN NULL WHEN json_array_length(detail.categories) <= 4 THEN json_extract(detail.categories, '$[0]') || coalesce(char(10) || json_extract(detail.categories, '$[1]'), '') || coalesce(char(10) || json_extract(detail.categories, '$[2]'), '') || coalesce(char(10) || json_extract(detail.categories, '$[3]'), '') ELSE json_extract( '["' || replace(replace(replace( replace(replace(substr(json(detail.categories), 3), '\\', char(1)), '\"', char(2)), '","', '\n'), char(2), '\"'), char(1), '\\'), '$[0]') END AS categories, CASE WHEN detail.attributes IS NULL THEN NULL WHEN json_array_length(detail.attributes) <= 6 THEN json_extract(detail.attributes, '$[0][1]') || coalesce(char(10) || json_extract(detail.attributes, '$[1][1]'), '') || coalesce(char(10) || json_extract(detail.attributes, '$[2][1]'), '') || coalesce(char(10) || json_extract(detail.attributes, '$[3][1]'), '') || coalesce(char(10) || json_extract(detail.attributes, '$[4][1]'), '') || coalesce(char(10) || json_extract(detail.attributes, '$[5][1]'), '') WHEN instr(json(detail.attributes), '["],["') + instr(json(detail.attributes), '"],["]') > 0 THEN ( WITH RECURSIVE pair (number) AS ( SELECT 0 UNION ALL SELECT number + 1 FROM pair WHERE number + 1 < json_array_length(detail.attributes) ) SELECT group_concat(value, char(10)) FROM ( SELECT json_extract(detail.attributes, '$[' || number || '][1]') AS value FROM pair ORDER BY number ) ) ELSE ( WITH RECURSIVE piece (place, bound, text) AS ( SELECT 0, length(detail.attributes), replace(replace( substr(json(detail.attributes), 4, length(json(detail.attributes)) - 6), '\\', char(1)), '\"', char(2)) UNION ALL SELECT place, bound / 2, CASE instr(substr(text, bound / 2 + 1), '"],["') WHEN 0 THEN text ELSE substr(text, 1, bound / 2 + instr(substr(text, bound / 2 + 1), '"],["') - 1) END FROM piece WHERE bound > 0 UNION ALL SELECT place + bound / 2 + instr(substr(text, bound / 2 + 1), '"],["'), bound - bound / 2 - instr(substr(text, bound / 2 + 1), '"],["') - 4, substr(text, bound / 2 + instr(substr(text, bound / 2 + 1), '"],["') + 5) FROM piece WHERE bound > 0 AND instr(substr(text, bound / 2 + 1), '"],["') > 0 ) SELECT json_extract( '["' || replace(replace(group_concat(value, '\n'), char(2), '\"'), char(1), '\\') || '"]', '$[0]') FROM ( SELECT substr(text, instr(text, '","') + 3) AS value FROM piece WHERE bound <= 0 ORDER BY place ) ) END AS attributes FROM offer LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key;
CREATE VIEW search_text AS SELECT offer_key, replace(replace(replace(replace(replace(replace( replace(replace(replace(replace(replace(name, char(173), ''), char(847), ''), char(1564), ''), char(6158), ''), char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''), char(8207), ''), char(8288), ''), char(65279), '') AS name, replace(replace(replace(replace(replace(replace( replace(replace(replace(replace(replace(description, char(173), ''), char(847), ''), char(1564), ''), char(6158), ''), char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''), char(8207), ''), char(8288), ''), char(65279), '') AS description, replace(replace(replace(replace(replace(replace( replace(replace(replace(replace(replace(terms, char(173), ''), char(847), ''), char(1564), ''), char(6158), ''), char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''), char(8207), ''), char(8288), ''), char(65279), '') AS terms, replace(replace(replace(replace(replace(replace( replace(replace(replace(replace(replace(retailer, char(173), ''), char(847), ''), char(1564), ''), char(6158), ''), char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''), char(8207), ''), char(8288), ''), char(65279), '') AS retailer, replace(replace(replace(replace(replace(replace( replace(replace(replace(replace(replace(categories, char(173), ''), char(847), ''), char(1564), ''), char(6158), ''), char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''), char(8207), ''), char(8288), ''), char(65279), '') AS categories, replace(replace(replace(replace(replace(replace( replace(replace(replace(replace(replace(attributes, char(173), ''), char(847), ''), char(1564), ''), char(6158), ''), char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''), char(8207), ''), char(8288), ''), char(65279), '') AS attributes FROM offer_text;
CREATE TABLE recent_search ( user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, search_order INTEGER NOT NULL, expression TEXT NOT NULL CHECK (expression <> ''), feed TEXT NOT NULL, words TEXT NOT NULL CHECK (words <> ''), searched_at INTEGER NOT NULL, PRIMARY KEY (user_key, search_order) ) STRICT, WITHOUT ROWID;
CREATE TABLE image_tally ( tally_key INTEGER PRIMARY KEY CHECK (tally_key = 1), image_limit INTEGER NOT NULL CHECK (image_limit BETWEEN 1 AND 10000), hit_count INTEGER NOT NULL CHECK (hit_count >= 0), miss_count INTEGER NOT NULL CHECK (miss_count >= 0), eviction_count INTEGER NOT NULL CHECK (eviction_count >= 0) ) STRICT;
CREATE TABLE image_cache ( url TEXT PRIMARY KEY NOT NULL CHECK (url <> ''), content_type TEXT NOT NULL CHECK ( content_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif') ), width INTEGER NOT NULL CHECK (width > 0), height INTEGER NOT NULL CHECK (height > 0), etag TEXT CHECK (etag <> ''), last_modified TEXT CHECK (last_modified <> ''), fetched_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL, thumbnail_problem TEXT CHECK (thumbnail_problem <> ''), thumbnail BLOB CHECK (length(thumbnail) BETWEEN 1 AND 262144), bytes BLOB NOT NULL CHECK (length(bytes) BETWEEN 1 AND 5242880), CHECK (width * height <= 50000000), CHECK (thumbnail IS NULL OR thumbnail_problem IS NULL) ) STRICT;
CREATE TABLE image_use ( url TEXT PRIMARY KEY NOT NULL REFERENCES image_cache ON UPDATE CASCADE ON DELETE CASCADE, use_order INTEGER NOT NULL CHECK (use_order > 0) ) STRICT, WITHOUT ROWID;
CREATE TABLE feed ( feed_key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (name <> '' AND name NOT GLOB '*[^a-z0-9-]*'), source TEXT NOT NULL CHECK (source <> ''), subscribed_at INTEGER NOT NULL, unsubscribed_at INTEGER, title TEXT, shared TEXT CHECK (shared IS NULL OR json_valid(shared)), presentation TEXT CHECK (presentation IS NULL OR json_valid(presentation)), chosen_source TEXT CHECK (chosen_source <> ''), source_origin TEXT CHECK (source_origin IN ('machine', 'remote', 'import')), document_hash BLOB CHECK (length(document_hash) = 16), document_head_hash BLOB CHECK (length(document_head_hash) = 16), document_bytes INTEGER, current_count INTEGER NOT NULL DEFAULT 0, CHECK (source_origin IS NULL OR chosen_source IS NOT NULL), CHECK ((document_hash IS NULL) = (document_bytes IS NULL)), CHECK ((document_hash IS NULL) = (document_head_hash IS NULL)) ) STRICT;
CREATE TABLE sync_run ( run_id INTEGER PRIMARY KEY, feed_key INTEGER NOT NULL REFERENCES feed, source TEXT NOT NULL, started_at INTEGER NOT NULL, duration_milliseconds INTEGER NOT NULL, outcome TEXT NOT NULL CHECK (outcome IN ('updated', 'unchanged', 'quarantined', 'failed')), bytes INTEGER NOT NULL, new_count INTEGER NOT NULL, changed_count INTEGER NOT NULL, gone_count INTEGER NOT NULL, back_count INTEGER NOT NULL, unchanged_count INTEGER NOT NULL, skipped_count INTEGER NOT NULL, mended_count INTEGER NOT NULL, problems TEXT CHECK (problems IS NULL OR json_valid(problems)), error_code TEXT, error_message TEXT, error_hint TEXT, error_remedy TEXT CHECK (error_remedy IS NULL OR json_valid(error_remedy)), request_reason TEXT CHECK (request_reason <> ''), request_count INTEGER CHECK (request_count >= 0), request_status INTEGER, request_is_conditional INTEGER CHECK (request_is_conditional IN (0, 1)), CHECK ((error_code IS NULL) = (error_message IS NULL)), CHECK ((outcome IN ('quarantined', 'failed')) = (error_code IS NOT NULL)), CHECK ((request_reason IS NULL) = (request_count IS NULL)), CHECK ((request_reason IS NULL) = (request_is_conditional IS NULL)) ) STRICT;
CREATE INDEX sync_run_by_feed ON sync_run (feed_key, run_id);
INSERT INTO offer VALUES
(5000, 2, 'p', 1, NULL, 100, 100, 'Ägypten 007', NULL, NULL, '5%', NULL, NULL, 500, 0, NULL, NULL),
(5001, 2, 'a', 2, NULL, 100, 200, 'Straße', 'd', 't', '$1', 100, 'USD', NULL, 1, 'i', 'u'),
(5002, 2, 'b', 3, NULL, 100, 200, 'b', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
(5003, 2, 'c', 4, NULL, 100, 100, 'c', NULL, NULL, 'free', NULL, NULL, NULL, 0, NULL, NULL),
(5004, 2, 'n', 5, NULL, 200, 200, 'n', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
(5005, 2, 'f1', 6, 150, 150, 150, 'found', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
(5006, 2, 'f2', 7, NULL, 150, 150, 'starred find', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
(5007, 2, 'g', 8, 200, 100, 100, 'gone', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
(6001, 4, 's1', 1, NULL, 400, 400, 's1', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
(6003, 4, 's3', 1, NULL, 400, 400, 's3', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
(6004, 4, 's4', 1, NULL, 500, 500, 's4', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
(6005, 4, 's5', 1, NULL, 500, 500, 's5', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL);
INSERT INTO change VALUES
(7000, 5000, 20, 'new', NULL),
(7003, 5003, 20, 'new', NULL),
(7004, 5001, 21, 'changed', '{"reward":{"from":{"text":"1%","kind":"percent","minor_units":null,"currency":null,"percent":2.5,"up_to":false},"to":{"text":"3%","kind":"percent","minor_units":null,"currency":null,"percent":3,"up_to":false}}}'),
(7005, 5001, 21, 'changed', '{"reward":{"from":{"text":"a","minor_units":500,"currency":"USD","percent":null,"up_to":true},"to":{"text":"b","minor_units":100,"currency":"USD","percent":null,"up_to":true}}}'),
(7006, 5001, 21, 'changed', '{"reward":{"from":null,"to":{"text":"b","minor_units":100,"currency":"USD","percent":null,"up_to":true}}}'),
(7007, 5001, 21, 'changed', '{"reward":{"from":{"text":"a","minor_units":500,"currency":"USD","percent":null,"up_to":true},"to":{"text":"b","minor_units":100,"currency":"EUR","percent":null,"up_to":true}}}'),
(7008, 5001, 21, 'changed', '{"reward":{"from":{"text":"a","minor_units":500,"currency":null,"percent":null,"up_to":false},"to":{"text":"b","minor_units":600,"currency":null,"percent":null,"up_to":false}},"name":{"from":"x","to":"y"}}'),
(7009, 5001, 21, 'changed', '{"reward":{"from":{"text":"a","minor_units":500,"currency":"USD","percent":null,"up_to":false},"to":{"text":"b","minor_units":600,"currency":"USD","percent":null,"up_to":true}}}'),
(7010, 5001, 21, 'changed', '{"reward":{"from":{"text":"a","minor_units":null,"currency":null,"percent":null,"up_to":false},"to":{"text":"b","minor_units":null,"currency":null,"percent":null,"up_to":false}}}'),
(7011, 5001, 21, 'changed', '{"name":{"from":"\"reward\"","to":"y"}}'),
(7012, 5002, 21, 'back', NULL),
(7013, 5007, 21, 'gone', NULL),
(7014, 5004, 21, 'new', NULL),
(7015, 4444, 21, 'gone', NULL),
(7016, 0, 21, 'gone', NULL),
(7020, 6003, 23, 'new', NULL),
(7023, 6006, 24, 'new', NULL),
(7024, 4445, 24, 'new', NULL);
INSERT INTO offer_detail VALUES
(5001, 'Ärzte & Co', '["Süß","b 12","x"]', 1, 2, 1.5, -2.5, '[["L","v"],["M","w"]]'),
(5002, NULL, NULL, NULL, 999999999999, NULL, NULL, NULL),
(5003, NULL, '[]', NULL, NULL, NULL, NULL, NULL),
(5005, 'r', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO feed_fetch VALUES
(2, '"e"', 'Mon', 'm', -5, 1, 2, 3, 4, 5, 6, 'a', 'b', 1, 2, 7, 3, 8),
(3, NULL, NULL, NULL, NULL, NULL, 9, NULL, 1, 1, NULL, NULL, NULL, 0, 0, NULL, 0, NULL);
INSERT INTO image_failure VALUES
('x', 'c', 'r', 5);
INSERT INTO image_lease VALUES
('y', 7, 8);
INSERT INTO search_state VALUES
(1, 1);
INSERT INTO new_offers VALUES
(7003, 3),
(7020, 3),
(7023, 3);
INSERT INTO login_attempt VALUES
('10.0.0.1', 3, 4, 5),
('account 2', 1, 1, 1);
INSERT INTO found_offer VALUES
(5005, 2, 150, 0),
(5006, 2, 151, 1);
INSERT INTO first_sync VALUES
(20, 7003, 4);
INSERT INTO user VALUES
(1, 'owner', 'owner', 'admin', 8, NULL),
(2, 'Ana', 'ana', 'member', 1, 2),
(5, 'Bo', 'bo', 'viewer', 3, NULL);
INSERT INTO reader VALUES
(1, 'default', 7005, 9),
(2, 'mail', 8000, 9);
INSERT INTO notice VALUES
(1, 'expiring', 'movies', 'a', 5, 6),
(2, 'failing', 'dead', '', 7, 8);
INSERT INTO passphrase VALUES
(2, zeroblob(16), 16384, 8, 1, zeroblob(32), 9);
INSERT INTO api_token VALUES
(1, 2, 't', zeroblob(32), 'read', 1, 2, 3);
INSERT INTO session VALUES
(zeroblob(32), 2, NULL, 1, 2, 'p', 'ua'),
(x'0000000000000000000000000000000000000000000000000000000000000002', 1, zeroblob(32), 1, 2, 'p', 'ua');
INSERT INTO favorite VALUES
(1, 'movies', 'a', 1, NULL),
(2, 'movies', 'f2', 2, 3),
(5, 'nofeed', 'z', 4, NULL);
INSERT INTO identity VALUES
(2, 'https://i', 's', 3);
INSERT INTO server_key VALUES
('pending login', zeroblob(32));
INSERT INTO missing_offer VALUES
(5002, 2, 77),
(5003, 2, NULL);
INSERT INTO recent_search VALUES
(1, 1, '"a"', '', 'a', 1),
(1, 3, '"c"', '', 'c', 3),
(2, 2, '"b"', 'movies', 'B', 2);
INSERT INTO image_tally VALUES
(1, 52, 4, 5, 6);
INSERT INTO image_cache VALUES
('u1', 'image/png', 1, 1, 'e', 'l', 1, 2, NULL, x'02', x'01'),
('u2', 'image/gif', 1, 1, NULL, NULL, 1, 2, 'p', NULL, x'03'),
('u3', 'image/gif', 1, 1, NULL, NULL, 1, 2, NULL, NULL, x'03');
INSERT INTO image_use VALUES
('u1', 9),
('u2', 4);
INSERT INTO feed VALUES
(1, 'ibotta', 'sample', 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0),
(2, 'movies', 'https://m.example/x', 10, 13, 'Films', '[["Artist","A"]]', '{"layout":"grid"}', 'https://n.example/', 'remote', zeroblob(16), zeroblob(16), 99, 6),
(3, 'dead', 'https://d.example/x', 11, 11, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0),
(4, 'oldspans', '/x', 12, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 4);
INSERT INTO sync_run VALUES
(20, 2, 'u', 100, 5, 'updated', 9, 4, 0, 0, 0, 0, 1, 2, '[{"position":1,"effect":"skipped","reason":"r"}]', NULL, NULL, NULL, NULL, 'asked', 3, 200, 0),
(21, 2, 'u', 200, 5, 'quarantined', 9, 1, 3, 1, 1, 0, 0, 0, NULL, 'held', 'm', 'h', '{"force":{"feed":"movies"}}', NULL, NULL, NULL, NULL),
(22, 3, 'u', 300, 5, 'failed', 0, 0, 0, 0, 0, 0, 0, 0, NULL, 'sourceFailed', 'm', NULL, NULL, 'due', 1, NULL, 1),
(23, 4, '/x', 400, 5, 'updated', 9, 3, 0, 0, 0, 2, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(24, 4, '/x', 500, 5, 'updated', 9, 3, 0, 0, 0, 2, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
UPDATE sqlite_sequence SET seq = 9 WHERE name = 'user';
UPDATE sqlite_sequence SET seq = 8 WHERE name = 'api_token';
CREATE TRIGGER api_token_holds_100 BEFORE INSERT ON api_token WHEN (SELECT count(*) FROM api_token WHERE user_key = NEW.user_key) >= 100 BEGIN SELECT RAISE(ABORT, 'a user has at most 100 API tokens'); END;
CREATE TRIGGER image_cache_is_bounded AFTER INSERT ON image_cache WHEN (SELECT count(*) FROM image_cache) > (SELECT image_limit FROM image_tally) BEGIN SELECT RAISE(ABORT, 'image_cache holds image_tally.image_limit images at most: remove one first'); END;
CREATE TRIGGER image_limit_is_kept AFTER UPDATE OF image_limit ON image_tally WHEN (SELECT count(*) FROM image_cache) > NEW.image_limit BEGIN SELECT RAISE(ABORT, 'image_cache holds image_tally.image_limit images at most: remove one first'); END;
CREATE TRIGGER image_limit_is_not_replaced AFTER INSERT ON image_tally WHEN (SELECT count(*) FROM image_cache) > NEW.image_limit BEGIN SELECT RAISE(ABORT, 'image_cache holds image_tally.image_limit images at most: remove one first'); END;
CREATE TRIGGER image_limit_is_there AFTER DELETE ON image_tally BEGIN SELECT RAISE(ABORT, 'image_tally has one row'); END;
PRAGMA user_version = 32;
PRAGMA application_id = 1330005586;
