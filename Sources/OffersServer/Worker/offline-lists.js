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

/** The orders with their labels, and those of the reversed orders. */
const ORDERS = [
  {value: "feed", label: "Feed order", reversed: "Reversed"},
  {value: "reward", label: "Highest reward", reversed: "Lowest reward"},
  {value: "price", label: "Lowest price", reversed: "Highest price"},
  {value: "name", label: "Name", reversed: "Name, reversed"},
  {value: "newest", label: "Newest", reversed: "Oldest"},
  {value: "expiry", label: "Expiring soonest", reversed: "Expiring last"},
];

/** The filters and the order of a list, as given in the query of a page. */
class Choice {
  constructor(url, own) {
    const fields = sentFields(url);
    this.path = url.pathname;
    this.own = own;
    this.ofFavorites = this.path === "/favorites";
    this.feed = own ?? fields.get("feed");
    this.favoritesOnly = this.ofFavorites || fields.isSet("favorites");
    this.category = fields.get("category");
    this.retailer = fields.get("retailer");
    this.minimum = filterValue(fields.get("minimum"));
    this.maximum = filterValue(fields.get("maximum"));
    if (this.maximum?.isPercent) this.maximum = null;
    this.isNew = fields.isSet("new");
    this.isEnding = fields.isSet("ending");
    this.includesExpired = fields.isSet("expired");
    this.order = ORDERS.find(({value}) => value === fields.get("sort")) ?? ORDERS[0];
    this.isReversed = fields.isSet("reverse");
  }

  get narrows() {
    return Boolean(
      this.category || this.retailer || this.minimum || this.maximum || this.isNew || this.isEnding
        || this.favoritesOnly !== this.ofFavorites || this.feed !== this.own,
    );
  }

  /** The address of a page of this list; `left` is the name of a filter, or of the order, to leave out. */
  link({page = 1, left = null, more = []} = {}) {
    const set = (isSet) => (isSet ? "1" : null);
    const fields = [
      ["feed", this.feed === this.own ? null : this.feed],
      ["favorites", set(this.favoritesOnly && !this.ofFavorites)],
      ["category", this.category], ["retailer", this.retailer],
      ["minimum", this.minimum?.text], ["maximum", this.maximum?.text],
      ["new", set(this.isNew)], ["ending", set(this.isEnding)],
      ["expired", set(this.includesExpired && !this.ofFavorites)],
      ["sort", this.order === ORDERS[0] ? null : this.order.value], ["reverse", set(this.isReversed)],
    ].filter(([name]) => name !== left && (left !== "sort" || name !== "reverse"));
    return pathWith(this.path, [...fields, ...more, ["page", page === 1 ? null : String(page)]]);
  }

  /** The offers of the whole list, in its order. */
  select(data) {
    const category = this.category === null ? null : equalText(this.category);
    const retailer = this.retailer === null ? null : equalText(this.retailer);
    const now = nowSeconds();
    const withExpired = this.favoritesOnly || this.includesExpired;
    const found = (this.favoritesOnly ? data.all : data.current).filter(
      (offer) =>
        (!this.feed || offer.feed === this.feed)
        && (!this.favoritesOnly || data.favorites.has(offer.ref))
        && (withExpired || !isExpired(offer, now))
        && (category === null || offer.category_keys?.includes(category))
        && (retailer === null || offer.retailer_key === retailer)
        && (!this.minimum || (!offer.is_priced && differenceTo(offer, this.minimum) >= 0))
        && (!this.maximum || (offer.is_priced && differenceTo(offer, this.maximum) <= 0))
        && (!this.isNew || offer.first_seen >= now - SOON_SECONDS)
        && (!this.isEnding
          || (offer.expires !== null && offer.expires >= now && offer.expires <= now + SOON_SECONDS)),
    );
    const list = sorted(found, this.order.value, this.isReversed);
    // The sort is stable: expired offers come last, in the same order.
    return withExpired && !this.isEnding
      ? list.sort((one, other) => isExpired(one, now) - isExpired(other, now)) : list;
  }

  /** The fields of the form, and of the chips that remove a filter. */
  fields(frame, data, offers) {
    const chosen = (options, value) =>
      options?.map((option) => ({...option, isChosen: option.value === value}));
    const hasRewards = offers.some(({reward, is_priced: isPriced}) => reward[0] < 3 && !isPriced);
    const hasPrices = offers.some(({reward, is_priced: isPriced}) => reward[0] < 3 && isPriced);
    const hasEnds = offers.some(({expires}) => expires !== null);
    const has = {reward: hasRewards, price: hasPrices, expiry: hasEnds};
    const sorts = ORDERS.filter((order) => order === this.order || (has[order.value] ?? true))
      .map(({value, label}) => ({value, label}));
    const categories = proposals(offers.flatMap((offer) => offer.categories));
    const retailers = proposals(offers.map(({retailer}) => retailer).filter(Boolean));
    const {choice} = frame.fields;
    return {
      choice: {
        ...choice,
        sorts: chosen(sorts, this.order.value),
        feedOptions: chosen(choice.feedOptions, this.feed),
        chosenCategory: this.category,
        chosenRetailer: this.retailer,
        chosenReverse: this.isReversed,
        chosenFavorites: this.favoritesOnly,
        chosenExpired: this.includesExpired,
        chosenMinimum: this.minimum?.text,
        chosenMaximum: this.maximum?.text,
        chosenNew: this.isNew,
        chosenEnding: this.isEnding,
        categories,
        asksCategory: categories.length > 0 || this.category !== null,
        retailers,
        asksRetailer: retailers.length > 0 || this.retailer !== null,
        asksMinimum: this.minimum !== null || hasRewards,
        asksMaximum: this.maximum !== null || hasPrices,
        asksEnding: this.isEnding || hasEnds,
        asksExpired: !this.ofFavorites && (this.includesExpired || hasEnds),
      },
      narrowed: this.narrowings(data).map(([left, label]) => ({label, link: this.link({left})})),
    };
  }

  /** The name and the label of each filter that is set, and of the order. */
  narrowings(data) {
    const isOrdered = this.order !== ORDERS[0] || this.isReversed;
    return [
      this.feed !== this.own && ["feed", data.titles.get(this.feed) ?? this.feed],
      this.favoritesOnly && !this.ofFavorites && ["favorites", "Favorites"],
      this.includesExpired && !this.ofFavorites && ["expired", "Also expired"],
      this.category && ["category", this.category],
      this.retailer && ["retailer", this.retailer],
      this.minimum && ["minimum", `At least ${this.minimum.text}`],
      this.maximum && ["maximum", `At most ${this.maximum.text}`],
      this.isNew && ["new", "New this week"],
      this.isEnding && ["ending", "Expiring this week"],
      isOrdered && ["sort", this.isReversed ? this.order.reversed : this.order.label],
    ].filter((each) => each && each[1]);
  }
}

const letters = new Intl.Segmenter("en");

/** The first 50 of the sorted distinct texts, without long ones. */
function proposals(texts) {
  const isShort = (text) => text.length <= 100 || [...letters.segment(text)].length <= 100;
  const short = [...new Set(texts.filter(isShort))].sort(compareScalars);
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

/** The fields of an offer's card: the stored ones, its star, and the way back to the list. */
function cardOf(offer, data, back) {
  const isFavorite = data.favorites.has(offer.ref);
  return {...offer.card, news: offer.news, isExpired: isExpired(offer), isFavorite, starTo: isFavorite ? "0" : "1", back};
}

/** A note if not all offers of the list are stored. */
function heldNote(held, total, noun) {
  if (total === null || held >= total) return null;
  return `${numberText(held)} of ${countText(total, noun)} are on this device.`;
}

/** Makes the page of a list; `own` is the feed that it belongs to, or null. */
function listPage(url, frame, data, own) {
  const choice = new Choice(url, own);
  const fields = sentFields(url);
  const number = fields.page();
  const whole = choice.select(data);
  const first = (number - 1) * PAGE_SIZE;
  // One offer more tells whether there is a next page, as on the server.
  const offers = whole.slice(first, first + PAGE_SIZE + 1);
  const back = url.pathname + url.search;
  const layout = Object.keys(frame.fields).find((name) => name.startsWith("layout-") && frame.fields[name]);
  const cards = (list) => list.map((offer) => cardOf(offer, data, back));
  const held = data.current.filter((offer) => (own === null || offer.feed === own) && !isExpired(offer)).length;
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
    heldNote: heldNote(held, frame.total, frame.noun),
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

/** The fields of the map that opens over the list, as FeedPage makes them, but without tiles. */
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
