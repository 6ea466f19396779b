// Makes the pages of lists from the stored offers: all offers, the favorites, and those of a feed,
// with the filters and the orders of the server (ListSelection, OffersPage and FeedPage).

/** The number of offers on a page, and on the map. */
const PAGE_SIZE = 60;
const MAP_SIZE = 1000;

/** The fields of a query, without the white space around them; null for an empty one. */
function sentFields(url) {
  const get = (name) => url.searchParams.get(name)?.trim() || null;
  return {
    get,
    isSet: (name) => ["1", "true", "on"].includes(get(name)),
    page: () => Math.min(Math.max(1, Number.parseInt(get("page"), 10) || 1), 1_000_000),
  };
}

/** The value of a filter in a query: its text, and what its test compares; null if it is not set. */
function filterValue({field, kind, input, value}, fields) {
  if (input === "box") return fields.isSet(field) ? {...valueOf(kind, value), text: "1"} : null;
  const text = fields.get(field);
  return text === null ? null : valueOf(kind, text);
}

/** The words, the filters and the order of a list, as given in the query of a page (ListSelection). */
class Choice {
  constructor(url, path, own) {
    const fields = sentFields(url);
    this.path = path;
    this.own = own;
    this.ofFavorites = this.path === "/favorites";
    this.typed = typedParts(fields.get("q") ?? "").join(" ");
    this.selection = new Selection(this.typed);
    /** The filters that the page does not imply, and the values of those that are set, by their fields. */
    this.filters = FILTERS.filter(({field, isOfFavorites}) =>
      !(field === "feed" && own !== null) && !(isOfFavorites && this.ofFavorites));
    this.values = new Map(this.filters.map((filter) => [filter.field, filterValue(filter, fields)])
      .filter(([, value]) => value !== null));
    this.filters.filter(({field}) => this.values.has(field))
      .forEach(({term, field}) => this.selection.set(term, this.values.get(field)));
    if (own !== null) this.selection.set("feed:", valueOf("text", own));
    if (this.ofFavorites) this.selection.set("is:favorite", {text: "true"});
    this.feed = this.selection.only("feed:");
    this.chosenOrder = ORDERS.find(({value}) => value === fields.get("sort")) ?? null;
    this.order = this.chosenOrder ?? this.selection.order ?? ORDERS[0];
    this.isFormReversed = fields.isSet("reverse");
    this.isReversed = this.isFormReversed || (this.chosenOrder === null && this.selection.isReversed);
  }

  get narrows() {
    return this.typed !== "" || this.filters.some(({field, term}) => term !== "is:expired" && this.values.has(field));
  }

  /** The address of a page of this list; `left` is the field of a filter, of the words or of the order, to leave out. */
  link({page = 1, left = null, more = []} = {}) {
    const fields = [
      ["q", (left === "sort" ? this.typed.replace(/(^| )sort:\S+/gi, "").trim() : this.typed) || null],
      ...this.filters.map(({field}) => [field, this.values.get(field)?.text]),
      ["sort", this.chosenOrder === ORDERS[0] && this.selection.order === null ? null : this.chosenOrder?.value],
      ["reverse", this.isFormReversed ? "1" : null],
    ].filter(([name]) => name !== left && (left !== "sort" || name !== "reverse"));
    return pathWith(this.path, [...fields, ...more, ["page", page === 1 ? null : String(page)]]);
  }

  /** The offers of the whole list, in its order. */
  select(data) { return this.selection.list(data, this.order, this.isReversed); }

  /** The fields of the form, and of the chips that remove a filter. A search has words and an order of its own. */
  fields(frame, data, offers, asksWords = true) {
    const chosen = (options, value) =>
      options?.map((option) => ({...option, isChosen: option.value === value}));
    const proposed = {
      categories: proposals(offers.flatMap((offer) => offer.categories)),
      retailers: proposals(offers.map(({retailer}) => retailer).filter(Boolean)),
    };
    const has = {
      reward: offers.some(({reward, is_priced: isPriced}) => reward[0] < 3 && !isPriced),
      price: offers.some(({reward, is_priced: isPriced}) => reward[0] < 3 && isPriced),
      end: offers.some(({expires}) => expires !== null),
      categories: proposed.categories.length > 0,
      retailers: proposed.retailers.length > 0,
    };
    const sorts = ORDERS.filter((order) => order === this.order || (has[order.needs] ?? true))
      .map(({value, label}) => ({value, label}));
    const asked = this.filters.filter(({field, needs}) => this.values.has(field) || (has[needs] ?? true));
    const boxes = (ofTime) => asked.filter(({input, isTimed}) => input === "box" && isTimed === ofTime)
      .map(({form, field}) => ({...form, isChosen: this.values.has(field)}));
    const {choice} = frame.fields;
    return {
      choice: {
        ...choice,
        asksWords, words: this.typed,
        sorts: asksWords ? chosen(sorts, this.order.value) : [],
        feedOptions: chosen(choice.feedOptions, this.feed),
        inputs: asked.filter(({input}) => input === "field").map(({form, field, needs}) =>
          ({...form, value: this.values.get(field)?.text ?? "", proposals: proposed[needs] ?? []})),
        timedBoxes: boxes(true),
        chosenReverse: this.isReversed,
        boxes: boxes(false),
      },
      narrowed: this.chips(data, asksWords).map(([left, label]) => ({label, link: this.link({left})})),
    };
  }

  /** The field and the label of the words, of each filter that is set, and of the order. */
  chips({titles}, asksWords) {
    const isOrdered = asksWords && (this.order !== ORDERS[0] || this.isReversed);
    const labels = {feeds: ({text}) => titles.get(text) ?? text, field: ({text}, chip) => chip + text, box: (_, chip) => chip};
    return [
      ...(asksWords && this.typed ? [["q", this.typed]] : []),
      ...this.filters.filter(({field}) => this.values.has(field))
        .map(({field, input, chip}) => [field, labels[input](this.values.get(field), chip)]),
      ...(isOrdered ? [["sort", this.isReversed ? this.order.reversed : this.order.label]] : []),
    ];
  }
}

/** The first 50 of the sorted distinct texts, without long ones. */
function proposals(texts) {
  const short = [...new Set(texts.filter((text) => [...text].length <= 100))].sort(compareScalars);
  return short.slice(0, 50).map((text) => ({text}));
}

/**
 * Compares offers by their rewards, or by their prices. Offers without the one come last, and kinds
 * and currencies keep their order in a reversed list, too. `sign` is 1 for the highest value first.
 */
function byValue(ofPrices, sign) {
  const kind = (offer) => (offer.is_priced === ofPrices ? offer.reward[0] : 4);
  return (first, second) => {
    const [one, other] = [first.reward, second.reward];
    if (kind(first) !== kind(second)) return kind(first) - kind(second);
    if (one[1] !== other[1]) return (one[1] ?? "") < (other[1] ?? "") ? -1 : 1;
    return sign * ((other[2] ?? -1) - (one[2] ?? -1) || (other[3] ?? -1) - (one[3] ?? -1))
      || (ofPrices ? -sign : sign) * (one[4] - other[4]);
  };
}

/** Sorts an array of offers in place, which are in the order of the feeds. Offers without the sorted value come last. */
function sorted(offers, sort, isReversed) {
  const sign = isReversed ? -1 : 1;
  const numbers = (one, other) => {
    if (one === null || other === null) return (one === null) - (other === null);
    return sign * (one - other);
  };
  const orders = {
    feed: () => 0,
    name: ({name_key: one}, {name_key: other}) => sign * (one < other ? -1 : one > other ? 1 : 0),
    newest: (one, other) => sign * (other.first_seen - one.first_seen),
    expiry: (one, other) => numbers(one.expires, other.expires),
    reward: byValue(false, sign),
    price: byValue(true, -sign),
  };
  if (isReversed) offers.reverse();
  return offers.sort(orders[sort]);
}

/**
 * The fields of an offer's card: the stored ones, its star, and the way back to the list. The colors that the server
 * shows while a picture loads are left out: without it, a picture is there at once or never comes.
 */
function cardOf(offer, data, back) {
  const isFavorite = data.favorites.has(offer.ref);
  return {...offer.card, news: offer.news, isExpired: isExpired(offer), isFavorite, starTo: isFavorite ? "0" : "1", back};
}

/** The list of all offers without its offers: the start page if there is one feed. */
const frameOfAll = ({frames}) => frames.get("/all") ?? frames.get("/");

/** A note if not all offers of a list are stored; `own` is the feed that it belongs to, or null. */
function storedNote(data, {total, noun} = frameOfAll(data), own = null) {
  const stored = data.current.filter((offer) => (own === null || offer.feed === own) && !isExpired(offer)).length;
  if (total === null || stored >= total) return null;
  return `${numberText(stored)} of ${countText(total, noun)} are on this device.`;
}

/** Makes the page of a list; `own` is the feed that it belongs to, or null. */
function listPage(url, frame, data, own) {
  const choice = new Choice(url, frame.path, own);
  const fields = sentFields(url);
  const number = fields.page();
  const whole = choice.select(data);
  const first = (number - 1) * PAGE_SIZE;
  // One offer more tells whether there is a next page, as on the server.
  const offers = whole.slice(first, first + PAGE_SIZE + 1);
  const back = url.pathname + url.search;
  const layout = Object.keys(frame.fields).find((name) => name.startsWith("layout-") && frame.fields[name]);
  const cards = (list) => list.map((offer) => cardOf(offer, data, back));
  const isEmpty = offers.length === 0;
  const ofFeed = choice.ofFavorites ? null : data.frames.get(`/feeds/${encodeRef(choice.feed ?? "")}`);
  const noun = (ofFeed ?? frame).noun;
  return {
    ...frame.fields,
    ...choice.fields(frame, data, offers),
    // The server has the map library if the list that it made has a map.
    map: frame.fields.map && mapFields(choice, offers, whole, fields.get("view") === "map", cards),
    // Behind its last page, the server counts no offers of a feed.
    count: countText(isEmpty && own !== null ? 0 : whole.length, noun),
    storedNote: storedNote(data, frame, own),
    cards: cards(offers.slice(0, PAGE_SIZE)),
    credit: layout === "layout-covers" ? creditOf(offers) : null,
    nothing: !isEmpty ? null : number > 1 || choice.narrows ? frame.no_match : frame.nothing,
    more: offers.length > PAGE_SIZE
      ? {
        moreLink: choice.link({page: number + 1}),
        moreLabel: layout === "layout-posters" ? "Load more" : "Next page",
      } : null,
  };
}

/** The fields of the map that opens over the list, as FeedPage makes them. */
function mapFields(choice, offers, whole, isOpen, cards) {
  const places = (isOpen ? whole : offers).slice(0, MAP_SIZE).filter(({card}) => card.place);
  if (places.length === 0) return null;
  const map = {listLink: choice.link(), mapLink: choice.link({more: [["view", "map"]]})};
  if (!isOpen) return map;
  const placeCount = countText(places.length, ["place", "places"]);
  return {...map, dialog: {placeCount, places: cards(places)}};
}

/** The copyright notice that all offers of the page share. */
function creditOf(offers) {
  const credits = new Set(
    offers.map(({attributes}) => attributes.find(([label]) => label === "Copyright")?.[1]));
  return credits.size === 1 ? [...credits][0] ?? null : null;
}
