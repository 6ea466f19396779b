// Reads the words and filters that people type to choose offers, and tests offers, as SelectionText, SearchWords and
// OfferConditions do. A mistyped filter, which the server refuses, is a word here.

/** The filters and the orders of the server, with their labels, terms and tests (OfferFilter and ListQuestions). */
const {filters: FILTERS, orders: ORDERS, terms: TERMS} = __LISTS__;
const TERM_NAMES = new Set([...TERMS.map(({term}) => term.replace(/^-/, "").split(":")[0]), "sort"]);

const CLOSING_QUOTES = {"\"": "\"", "“": "”“\"", "„": "“”", "«": "»"};

/** The parts of a text between white spaces, quoted texts whole: {text, content, isQuoted, isUnwanted}. */
function typedTokens(text) {
  const letters = [...text];
  const isSpace = (letter) => letter === undefined || letterTable.spaces.test(letter);
  const tokens = [];
  for (let place = 0; place < letters.length;) {
    if (isSpace(letters[place])) {
      place += 1;
      continue;
    }
    const start = place;
    while (place < letters.length && !isSpace(letters[place])) {
      const closing = CLOSING_QUOTES[letters[place]];
      const mayOpen = place === start || "-−:=<>≥≤".includes(letters[place - 1]);
      place += 1;
      const end = closing && mayOpen ? letters.findIndex((letter, index) => index >= place && closing.includes(letter)) : -1;
      if (end >= 0 && isSpace(letters[end + 1])) place = end + 1;
    }
    const whole = letters.slice(start, place);
    const body = /[-−]/.test(whole[0]) ? whole.slice(1) : whole;
    const isQuoted = body.length > 2 && (CLOSING_QUOTES[body[0]]?.includes(body.at(-1)) ?? false);
    const isWord = /^(\p{Alphabetic}|\p{N}.*\p{Alphabetic})/u.test(body.join(""));
    const isUnwanted = body !== whole && (isQuoted || isWord);
    const content = (isQuoted ? body.slice(1, -1) : isUnwanted ? body : whole).join("");
    tokens.push({text: whole.join(""), content, isQuoted, isUnwanted});
  }
  return tokens;
}

/** The parts of a search as they were typed. */
const typedParts = (text) => typedTokens(text).map((token) => token.text);

/** The seconds of a duration such as `12h`; null for another text. */
function secondsOf(text) {
  const [, number, unit] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * {m: 60, h: 3600, d: 86_400, w: 604_800}[unit];
}

/** The time since which offers are new, in Unix seconds; null for a text that is none. */
function startOf(text) {
  const seconds = secondsOf(text);
  if (seconds !== null) return nowSeconds() - seconds;
  if (text === "today") return new Date().setHours(0, 0, 0, 0) / 1000;
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00`) : new Date(text);
  return /^\d{4}-/.test(text) && !Number.isNaN(time.getTime()) ? time.getTime() / 1000 : null;
}

/** The circle of `52.52,13.40,5km`; null for a text that is none. */
function circleOf(text) {
  if (!/^-?[\d.]+\s*,\s*-?[\d.]+\s*(,\s*[\d.]+\s*(km)?)?$/i.test(text)) return null;
  const [latitude, longitude, kilometers = 10] = text.toLowerCase().replace(/\s|km$/g, "").split(",").map(Number);
  const isCircle = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && kilometers > 0 && kilometers <= 500;
  return isCircle ? {latitude, longitude, kilometers} : null;
}

/** The value of a filter that a text names: {text, …} with all that its test compares; null if it is none. */
function valueOf(kind, text) {
  const asked = {text: () => text, label: () => equalText(text), since: () => startOf(text), within: () => secondsOf(text),
    circle: () => circleOf(text), flag: () => true}[kind];
  if (asked) return asked() === null ? null : {text, asked: asked()};
  const value = boundOf(text);
  return value?.isPercent && kind === "price" ? null : value;
}

/** The tests of the filters: whether an offer passes one that is set to a value. */
const TESTS = {
  equals: (offer, {member}, {asked}) => offer[member] === asked,
  contains: (offer, {member}, {asked}) => offer[member]?.includes(asked) ?? false,
  atLeast: (offer, {kind}, value) => offer.is_priced === (kind === "price") && differenceTo(offer, value) >= 0,
  atMost: (offer, {kind}, value) => offer.is_priced === (kind === "price") && differenceTo(offer, value) <= 0,
  since: (offer, {member}, {asked}) => offer[member] !== null && offer[member] >= asked,
  within: (offer, {member}, {asked}, data, now) =>
    offer[member] !== null && offer[member] >= now && offer[member] <= now + asked,
  starred: (offer, filter, value, data) => data.favorites.has(offer.ref),
  // What is hidden is not stored.
  hidden: () => false,
  gone: (offer) => offer.is_gone,
  near: ({latitude, longitude}, filter, {asked}) => {
    if (latitude === null || longitude === null) return false;
    const turn = Math.abs(longitude - asked.longitude);
    const x = Math.min(turn, 360 - turn) * Math.cos(asked.latitude * Math.PI / 180);
    const y = latitude - asked.latitude;
    return x * x + y * y <= (asked.kilometers / 111.195) ** 2;
  },
};

/** Which offers are meant: by typed text, and by the filters of a form. */
class Selection {
  constructor(text) {
    /** The words, as they were typed. */
    this.words = "";
    /** The values of the filters that are set, by their terms. */
    this.values = new Map();
    this.order = null;
    this.isReversed = false;
    const words = typedTokens(text).filter((token) => token.isQuoted || !this.#take(token.text));
    this.words = words.map((token) => token.text).join(" ");
  }

  /** Sets a filter to a value, beside its others if it takes several. */
  set(term, value) {
    const isList = ["text", "label"].includes(TERMS.find((each) => each.term === term).kind);
    this.values.set(term, [...(isList ? this.values.get(term) ?? [] : []), value]);
  }

  /** The value of a filter that has one value; null if it is not set, or has several. */
  only(term) {
    const values = this.values.get(term) ?? [];
    return values.length === 1 ? values[0].text : null;
  }

  /** Takes a filter or an order. Returns whether the text is one. */
  #take(text) {
    const [, sign, name, rest] = /^([-−]?)([a-z]+)([:<>=≤≥].+)$/is.exec(text) ?? [];
    if (!rest || rest.startsWith("://") || !TERM_NAMES.has(name.toLowerCase())) return false;
    const value = rest.replace(/^:/, "").replaceAll("≥", ">=").replaceAll("≤", "<=");
    const start = `${sign && "-"}${name.toLowerCase()}:`;
    if (start === "sort:") {
      this.order = ORDERS.find((order) => order.value === value.replace(/^-/, "").toLowerCase()) ?? null;
      this.isReversed = value.startsWith("-");
      return this.order !== null;
    }
    for (const {term, kind} of TERMS.filter((each) => each.term.startsWith(start))) {
      const head = term.slice(start.length);
      const isFlag = kind === "flag";
      if (isFlag ? value.toLowerCase() !== head : !value.startsWith(head)) continue;
      const [token] = typedTokens(value.slice(head.length));
      const parsed = isFlag ? {text: "true"} : valueOf(kind, token?.isQuoted ? token.content : value.slice(head.length));
      if (parsed) this.set(term, parsed);
      return parsed !== null;
    }
    return false;
  }

  get favoritesOnly() { return this.values.has("is:favorite"); }
  get goneOnly() { return this.values.has("is:gone"); }
  get withExpired() { return this.favoritesOnly || this.goneOnly || this.values.has("is:expired"); }

  /** The offers that pass all filters, in the order of the feeds. The words are not looked at. */
  filter(data) {
    const now = nowSeconds();
    const isTimed = this.values.has("ending:");
    const tested = TERMS.filter(({term, test}) => test && this.values.has(term));
    return (this.favoritesOnly || this.goneOnly ? data.all : data.current).filter((offer) =>
      (this.withExpired || isTimed || !isExpired(offer, now))
      && tested.every((filter) => filter.isExcluded !== this.values.get(filter.term).some(
        (value) => TESTS[filter.test](offer, filter, value, data, now))));
  }

  /** The offers of a list, in its order: those that pass all filters and have the words. */
  list(data, order, isReversed) {
    const now = nowSeconds();
    const parts = searchParts(this.words, false);
    const hasWords = (offer) => !hasUnwanted(offer, parts) && (parts.length === 0 || searchOffer(offer, parts) !== null);
    const isEmpty = this.words !== "" && parts.length === 0 && parts.unwanted.length === 0;
    const found = isEmpty ? [] : this.filter(data).filter((offer) => this.words === "" || hasWords(offer));
    const list = sorted(found, order.value, isReversed);
    // The sort is stable: expired offers come last, in the same order.
    return this.withExpired && !this.goneOnly && !this.values.has("ending:")
      ? list.sort((one, other) => isExpired(one, now) - isExpired(other, now)) : list;
  }
}
