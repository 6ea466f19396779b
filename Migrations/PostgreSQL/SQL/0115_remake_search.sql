-- The words of texts changed: the program that runs this adds those of all offers anew.
DELETE FROM search_word;
