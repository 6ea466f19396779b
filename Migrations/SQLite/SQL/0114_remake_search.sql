-- The words of texts changed: the next search or sync indexes the offers anew.
INSERT INTO offer_search (offer_search) VALUES ('delete-all');

UPDATE search_state SET is_current = 0 WHERE EXISTS (SELECT 1 FROM offer);
