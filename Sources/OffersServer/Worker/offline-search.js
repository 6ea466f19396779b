// Searches the stored offers: all words, without case and accents, the last one as a prefix. The results are
// in the order of the server: by the weights of the fields, then in the order of the feeds.

const RESULTS_SIZE = 20;
const MOST_MATCHES = 8;

// The searched texts of the offers, folded, and their fields.
const searchedTexts = new WeakMap();

/** The fields of an offer that are searched: {kind, label, text}. */
function searchedOf(offer) {
  let found = searchedTexts.get(offer);
  if (!found) {
    const lines = (list) => (list ?? []).map(({text}) => text).join(" ");
    const fields = [
      {kind: "name", text: offer.card.name},
      {kind: "description", text: lines(offer.page.details)},
      {kind: "terms", label: "Terms", text: lines(offer.page.terms)},
      {kind: "retailer", label: "Retailer", text: offer.retailer ?? ""},
      ...offer.categories.map((text) => ({kind: "categories", label: "Category", text})),
      ...offer.attributes.map(([label, text]) => ({kind: "attributes", label, text})),
    ].filter(({text}) => text !== "");
    const all = fold(fields.map(({text}) => text).join("\n"));
    // With signs and without them, for joined words.
    found = {fields, all: `${all}\n${[...all.matchAll(letterTable.words)].map(([word]) => word).join("")}`};
    searchedTexts.set(offer, found);
  }
  return found;
}

/**
 * The typed parts: each has the phrases {words, isOpen} of which an offer must have one, as SearchWords makes them.
 * The last word of an open phrase may be a prefix; a single letter only if `opensLetter` is set. The property
 * `unwanted` has the phrases of which an offer must have none.
 */
function searchParts(text, opensLetter) {
  const tokens = typedTokens(text);
  const unwanted = [];
  let parts = [];
  let isAlternative = false;
  tokens.forEach(({text: typed, content, isQuoted, isUnwanted}, place) => {
    const words = wordsOf(content).map(({word}) => word);
    const wasAlternative = isAlternative;
    isAlternative = false;
    if (isUnwanted) {
      if (words.length > 0) unwanted.push({words, isOpen: false});
    } else if (typed === "OR" && parts.length > 0 && place + 1 < tokens.length && !tokens[place + 1].isUnwanted) {
      isAlternative = true;
    } else if (words.length > 0) {
      // A sign behind the last word ends it.
      const isWhole = isQuoted || ["x", "0"].every((each) => wordsOf(content + each).length > words.length);
      const isLast = tokens.slice(place + 1).every((token) => token.isUnwanted);
      const isOpen = isLast && !isWhole && (opensLetter || [...words.at(-1)].length > 1);
      const last = parts.at(-1);
      const same = tokens[place + 1]?.text === "OR" ? null : parts.find((part) => part.text === typed);
      if (wasAlternative && last) {
        last.phrases.push({words, isOpen});
        [last.text, last.isFixed] = [`${last.text} OR ${typed}`, true];
      } else if (!same) parts.push({text: typed, words, isOpen, isFixed: isQuoted, phrases: [{words, isOpen}]});
      else if (isOpen && same === last) [last.isOpen, last.phrases[0].isOpen] = [true, true];
    }
  });
  parts = parts.slice(0, 50).filter(({words, isFixed}, place, all) => place === 0 || place === all.length - 1 || isFixed
    || words.length > 1 || !letterTable.conjunctions.includes(words[0]));
  parts.forEach((part, place) => {
    const before = parts[place - 1];
    if (part.isFixed) return;
    if (part.words.length > 1 && part.words.length <= letterTable.joinedLimit) {
      part.phrases.push(...joinedPhrases(part.text, part.isOpen));
    }
    if (before?.words.length === 1 && part.words.length === 1 && !before.isFixed) {
      const pair = joinedPhrases(`${before.text}-${part.text}`, part.isOpen);
      before.phrases.push(...pair);
      part.phrases.push(...pair);
    }
  });
  parts.unwanted = unwanted;
  return parts;
}

/** Whether an offer has an unwanted phrase of a search. */
function hasUnwanted(offer, {unwanted}) {
  return unwanted.length > 0
    && searchedOf(offer).fields.some(({text}) => unwanted.some((phrase) =>
      [wordsOf(text), ...joinedOf(wordsOf(text), text).map((each) => [each])].some((run) => findPhrase(phrase, run).length > 0)));
}

/** The phrases of a text with one joined word each. */
function joinedPhrases(text, isOpen) {
  const words = wordsOf(text);
  return joinedOf(words, text).map((joined) => {
    const before = words.filter(({start}) => start < joined.start);
    const behind = words.filter(({start}) => start >= joined.end);
    return {words: [...before, joined, ...behind].map(({word}) => word), isOpen};
  });
}

/** Finds a phrase in the words of a text: {start, end, isWhole} of each place. */
function findPhrase({words, isOpen}, text) {
  const found = [];
  for (let index = 0; index + words.length <= text.length; index += 1) {
    let isWhole = true;
    const fits = words.every((word, offset) => {
      const other = text[index + offset].word;
      if (other === word) return true;
      isWhole = false;
      return isOpen && offset === words.length - 1 && other.startsWith(word);
    });
    if (fits) {
      found.push({start: text[index].start, end: text[index + words.length - 1].end, isWhole});
    }
  }
  return found;
}

/** Searches an offer. Returns its score and the matches of each field; null without all words. */
function searchOffer(offer, parts) {
  const {fields, all} = searchedOf(offer);
  const mayHave = ({words}) => words.every((word) => all.includes(word));
  if (!parts.every(({phrases}) => phrases.some(mayHave))) return null;
  const texts = fields.map(({text}) => {
    const words = wordsOf(text);
    return [words, ...joinedOf(words, text).map((each) => [each])];
  });
  const matches = fields.map(() => []);
  let score = 0;
  for (const part of parts) {
    let best = 0;
    texts.forEach((runs, index) => {
      const found = part.phrases.flatMap((phrase) => runs.flatMap((run) => findPhrase(phrase, run)));
      if (found.length === 0) return;
      matches[index].push(...found);
      const factor = found.some(({isWhole}) => isWhole) ? letterTable.whole : 1;
      best = Math.max(best, letterTable.weights[fields[index].kind] * factor);
    });
    if (best === 0) return null;
    score += best;
  }
  return {offer, score, fields, matches: matches.map(disjoint)};
}

/** Places in ascending order; those that overlap are one. */
function disjoint(places) {
  const found = [];
  for (const {start, end} of places.sort((one, other) => one.start - other.start)) {
    const last = found.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else found.push({start, end});
  }
  return found;
}

/** The offers of a selection with all words, the best first. A single letter may be a prefix if nothing is found otherwise. */
function searchOffers(data, selection) {
  const found = searchOffersWith(searchParts(selection.words, false), data, selection);
  return found.length > 0 ? found : searchOffersWith(searchParts(selection.words, true), data, selection);
}

function searchOffersWith(parts, data, selection) {
  // A text of signs only finds nothing, and neither does a search without words and filters.
  const hasNone = parts.length === 0 && parts.unwanted.length === 0;
  if (hasNone && (selection.words !== "" || selection.values.size === 0)) return [];
  const found = selection.filter(data).filter((offer) => !hasUnwanted(offer, parts))
    .map((offer) => searchOffer(offer, parts)).filter(Boolean)
    .sort((one, other) => other.score - one.score);
  const now = nowSeconds();
  return selection.withExpired ? found.sort((one, other) => isExpired(one.offer, now) - isExpired(other.offer, now)) : found;
}

/** The fields of a result: its card with the matched words marked. */
function resultOf({offer, fields, matches}, data, {back, feed, isWhole}) {
  const card = cardOf(offer, data, back);
  if (feed === null) card.feedTitle = data.titles.get(offer.feed) ?? offer.feed;
  card.otherMatches = [];
  fields.forEach(({kind, label, text}, index) => {
    if (kind === "name") card.nameParts = markedParts(text, matches[index]);
    else if (kind === "description") {
      card.hasParts = true;
      card.descriptionParts = markedParts(text, matches[index], !isWhole);
    } else if (matches[index].length > 0 && text !== offer.card.name && card.otherMatches.length < MOST_MATCHES) {
      card.otherMatches.push({label, parts: markedParts(text, matches[index], true)});
    }
  });
  return card;
}

/** Makes the page of the search: {title, words, fields}. */
function searchPage(url, frame, data) {
  const sent = sentFields(url);
  const choice = new Choice(url, "/search", null);
  const words = choice.typed || null;
  const {feed} = choice;
  const number = sent.page();
  const title = feed && (data.titles.get(feed) ?? feed);
  const fields = {
    ...frame.fields,
    searchbox: {
      boxFeed: feed, boxWords: words, boxLabel: title ? `Search ${title}` : "Search all offers",
    },
    scope: feed && {
      scopeTitle: title, scopeLink: `/feeds/${encodeRef(feed)}`,
      allLink: pathWith("/search", [["q", words]]),
    },
    isStart: words === null,
    hasRecent: words === null && data.searches.length > 0,
    recentSearches: data.searches.map((each) => ({
      recentWords: each.words, recentName: each.feed, recentFeed: each.feed && (data.titles.get(each.feed) ?? each.feed),
      recentLink: pathWith("/search", [["q", each.words], ["feed", each.feed]]),
    })),
  };
  if (words === null) return {title: "Search", words, fields};
  const all = searchOffers(data, choice.selection);
  const first = (number - 1) * RESULTS_SIZE;
  const results = all.slice(first, first + RESULTS_SIZE);
  const choices = {formPath: "/search", feedOptions: frameOfAll(data).fields.choice?.feedOptions};
  Object.assign(fields, choice.fields({fields: {choice: choices}}, data, results.map(({offer}) => offer), false));
  const here = [["q", words], ["feed", feed]];
  fields.asked = words;
  fields.storedNote = storedNote(data);
  // A search on a feed's server shows whole descriptions, as the list of the feed does.
  const isWhole = Boolean(feed && data.frames.get(`/feeds/${encodeRef(feed)}`)?.fields.searchbox);
  fields.showsWhole = isWhole;
  // They stand in for the results of the feed's server.
  fields.isStored = isWhole;
  const shown = {back: url.pathname + url.search, feed, isWhole};
  fields.results = results.map((each) => resultOf(each, data, shown));
  fields.hasResults = results.length > 0;
  if (results.length === 0) {
    const [noun] = data.frames.get(feed ? `/feeds/${encodeRef(feed)}` : "/")?.noun ?? ["offer"];
    fields.nothing = number > 1
      ? {
        emptyTitle: "No more results", emptyText: "This search has fewer pages.", emptyIcon: "search",
        emptyLink: pathWith("/search", here), emptyLabel: "Show the first page",
      }
      : {
        emptyTitle: `No ${noun} found for “${[...words].slice(0, 80).join("")}”`, emptyIcon: "search", isAlert: true,
        emptyText: "Try fewer or different words.",
        emptyLink: feed ? pathWith("/search", [["q", words]]) : "/search",
        emptyLabel: feed ? "Search all offers" : "New search",
      };
  } else if (all.length > first + RESULTS_SIZE) {
    fields.more = {moreLink: choice.link({page: number + 1}), moreLabel: "Load more"};
  }
  return {title: `Search: ${[...words].slice(0, 80).join("")}`, words, fields};
}
