-- Rows of every kind in a database of schema 113.
DELETE FROM account_order;
DELETE FROM account;
DELETE FROM commit_order;

INSERT INTO account (user_key, name, folded_name, role, created_at, last_seen_at) VALUES
  (1, 'owner', 'owner', 'admin', 8, NULL),
  (2, 'Ana', 'ana', 'member', 1, 2),
  (5, 'Bo', 'bo', 'viewer', 3, NULL);

INSERT INTO account_order (order_key, last_user_key) VALUES
  (1, 9);

INSERT INTO api_token (token_key, user_key, name, hash, scope, created_at, expires_at, last_used_at) OVERRIDING SYSTEM VALUE VALUES
  (1, 2, 't', '\x0000000000000000000000000000000000000000000000000000000000000000', 'read', 1, 2, 3);

INSERT INTO feed (feed_key, name, source, subscribed_at, unsubscribed_at, title, shared, chosen_source, source_origin, document_hash, document_head_hash, document_bytes, current_count, gone_count, presentation) OVERRIDING SYSTEM VALUE VALUES
  (1, 'ibotta', 'sample', 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL),
  (2, 'movies', 'https://m.example/x', 10, 13, 'Films', '[["Artist","A"]]', 'https://n.example/', 'remote', '\x00000000000000000000000000000000', '\x00000000000000000000000000000000', 99, 5, 1, '{"layout":"grid"}'),
  (3, 'dead', 'https://d.example/x', 11, 11, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL),
  (4, 'oldspans', '/x', 12, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 4, 0, NULL);

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

INSERT INTO commit_order (order_key, last_offer_key, last_change_id, last_run_id) VALUES
  (1, 6006, 8000, 24);

INSERT INTO favorite (user_key, feed, id, created_at, shared_at) VALUES
  (1, 'movies', 'a', 1, NULL),
  (2, 'movies', 'f2', 2, 3),
  (5, 'nofeed', 'z', 4, NULL);

INSERT INTO feed_fetch (feed_key, etag, last_modified, validated_mark, validated_rules, full_fetch_at, next_due_at, wait_until, failure_count, failing_since, stopped_at, moved_from, moved_to, moved_count, held_count, held_since, held_new_count, held_until) VALUES
  (2, '"e"', 'Mon', 'm', -5, 1, 2, 3, 4, 5, 6, 'a', 'b', 1, 2, 7, 3, 8),
  (3, NULL, NULL, NULL, NULL, NULL, 9, NULL, 1, 1, NULL, NULL, NULL, 0, 0, NULL, 0, NULL);

INSERT INTO identity (user_key, issuer, subject, added_at) VALUES
  (2, 'https://i', 's', 3);

INSERT INTO image_cache (url, content_type, width, height, etag, last_modified, fetched_at, fresh_until, bytes, thumbnail, thumbnail_problem) VALUES
  ('u1', 'image/png', 1, 1, 'e', 'l', 1, 2, '\x01', '\x02', NULL),
  ('u2', 'image/gif', 1, 1, NULL, NULL, 1, 2, '\x03', NULL, 'p'),
  ('u3', 'image/gif', 1, 1, NULL, NULL, 1, 2, '\x03', NULL, NULL);

INSERT INTO image_failure (url, code, reason, until) VALUES
  ('x', 'c', 'r', 5);

UPDATE image_tally SET image_limit = 52, hit_count = 4, miss_count = 5, eviction_count = 6;

INSERT INTO image_use (url, use_order) VALUES
  ('u1', 9),
  ('u2', 4);

INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until) VALUES
  ('10.0.0.1', 3, 4, 5),
  ('account 2', 1, 1, 1);

INSERT INTO offer (offer_key, feed_key, id, content_hash, gone_at, first_seen_at, changed_at, found_at, first_run_id, name, description, terms, reward_text, reward_minor_units, reward_currency, reward_percent_hundredths, reward_up_to, image_url, url, retailer, categories, starts_at, expires_at, latitude, longitude, attributes, name_key, retailer_key, search, category_keys) VALUES
  (5000, 2, 'p', 1, NULL, 100, 100, NULL, 20, 'Ägypten 007', NULL, NULL, '5%', NULL, NULL, 500, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x6167797074656e20300137', NULL, '''007'':2A ''agypten'':1A', NULL),
  (5001, 2, 'a', 2, NULL, 100, 200, NULL, 20, 'Straße', 'd', 't', '$1', 100, 'USD', NULL, true, 'i', 'u', 'Ärzte & Co', '["Süß","b 12","x"]', 1, 2, 1.5, -2.5, '[["L","v"],["M","w"]]', '\x73747261737365', '\x61727a7465202620636f', '''12'':11C ''arzte'':3B ''b'':10C ''co'':4B ''d'':6C ''strasse'':1A ''suss'':8C ''t'':19 ''v'':15 ''w'':17 ''x'':13C', '\xff73757373ff622030023132ff78ff'),
  (5002, 2, 'b', 3, NULL, 100, 200, NULL, 20, 'b', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, 9999999999, NULL, NULL, NULL, '\x62', NULL, '''b'':1A', NULL),
  (5003, 2, 'c', 4, NULL, 100, 100, NULL, 20, 'c', NULL, NULL, 'free', NULL, NULL, NULL, false, NULL, NULL, NULL, '[]', NULL, NULL, NULL, NULL, NULL, '\x63', NULL, '''c'':1A', '\xff'),
  (5004, 2, 'n', 5, NULL, 200, 200, NULL, NULL, 'n', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x6e', NULL, '''n'':1A', NULL),
  (5005, 2, 'f1', 6, NULL, 150, 150, 150, NULL, 'found', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, 'r', NULL, NULL, NULL, NULL, NULL, NULL, '\x666f756e64', '\x72', '''found'':1A ''r'':3B', NULL),
  (5006, 2, 'f2', 7, NULL, 150, 150, 151, NULL, 'starred find', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x737461727265642066696e64', NULL, '''find'':2A ''starred'':1A', NULL),
  (5007, 2, 'g', 8, 200, 100, 100, NULL, NULL, 'gone', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x676f6e65', NULL, '''gone'':1A', NULL),
  (6001, 4, 's1', 1, NULL, 400, 400, NULL, NULL, 's1', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x73300131', NULL, '''s1'':1A', NULL),
  (6003, 4, 's3', 1, NULL, 400, 400, NULL, NULL, 's3', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x73300133', NULL, '''s3'':1A', NULL),
  (6004, 4, 's4', 1, NULL, 500, 500, NULL, NULL, 's4', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x73300134', NULL, '''s4'':1A', NULL),
  (6005, 4, 's5', 1, NULL, 500, 500, NULL, NULL, 's5', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x73300135', NULL, '''s5'':1A', NULL);

INSERT INTO search_word SELECT DISTINCT unnest(tsvector_to_array(search)) FROM offer;

INSERT INTO missing_offer (offer_key, feed_key, since) VALUES
  (5002, 2, 77),
  (5003, 2, NULL);

INSERT INTO notice (user_key, kind, feed, id, about, told_at) VALUES
  (1, 'expiring', 'movies', 'a', 5, 6),
  (2, 'failing', 'dead', '', 7, 8);

INSERT INTO passphrase (user_key, salt, rounds, block_size, parallelism, hash, set_at) VALUES
  (2, '\x00000000000000000000000000000000', 16384, 8, 1, '\x0000000000000000000000000000000000000000000000000000000000000000', 9);

INSERT INTO reader (user_key, name, change_id, read_at) VALUES
  (1, 'default', 7005, 9),
  (2, 'mail', 8000, 9);

INSERT INTO recent_search (user_key, search_order, expression, feed, words, searched_at) VALUES
  (1, 1, '"a"', '', 'a', 1),
  (1, 3, '"c"', '', 'c', 3),
  (2, 2, '"b"', 'movies', 'B', 2);

INSERT INTO server_key (purpose, bytes) VALUES
  ('pending login', '\x0000000000000000000000000000000000000000000000000000000000000000');

INSERT INTO session (session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent) VALUES
  ('\x0000000000000000000000000000000000000000000000000000000000000000', 2, NULL, 1, 2, 'p', 'ua'),
  ('\x0000000000000000000000000000000000000000000000000000000000000002', 1, '\x0000000000000000000000000000000000000000000000000000000000000000', 1, 2, 'p', 'ua');

SELECT setval('api_token_token_key_seq', 8, true);

SELECT setval('feed_feed_key_seq', 4, true);
