-- The search no longer divides words at characters that nobody sees or types, such as soft hyphens.
-- The program finds the words of an offer, so it computes the column offer.search anew of the offers
-- that have such a character; see SearchRenewal.
SELECT 1;
