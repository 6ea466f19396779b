// Makes the pages of lists from the stored offers: all offers, the favorites, and those of a feed,
// with the filters and the orders of the server (OfferChoice, OffersPage and FeedPage).

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

/** The filters and the order of a list, as given in the query of a page. */
class Choice {
  constructor(url, frame, own) {
    const fields = sentFields(url);
    this.path = url.pathname;
    this.own = own;
    this.ofFavorites = this.path === "/favorites";
    this.feed = own ?? fields.get("feed");
    this.favoritesOnly = this.ofFavorites || fields.isSet("favorites");
    this.category = fields.get("category");
    this.retailer = fields.get("retailer");
    const sorts = frame.fields.choice.sorts;
    const sort = sorts.find(({value}) => value === fields.get("sort")) ?? sorts[0];
    this.sort = sort.value;
    this.sortLabel = sort.label;
    this.isReversed = fields.isSet("reverse");
  }

  get narrows() {
    return Boolean(
      this.category || this.retailer || this.favoritesOnly !== this.ofFavorites
        || this.feed !== this.own,
    );
  }

  /** The address of a page of this list; `left` is the name of a filter to leave out. */
  link({page = 1, left = null, more = []} = {}) {
    const fields = [
      ["feed", this.feed === this.own ? null : this.feed],
      ["favorites", this.favoritesOnly && !this.ofFavorites ? "1" : null],
      ["category", this.category], ["retailer", this.retailer],
      ["sort", this.sort === "feed" ? null : this.sort], ["reverse", this.isReversed ? "1" : null],
    ].filter(([name]) => name !== left);
    return pathWith(this.path, [...fields, ...more, ["page", page === 1 ? null : String(page)]]);
  }

  /** The offers of the whole list, in its order. */
  select(data) {
    const category = this.category === null ? null : fold(this.category);
    const retailer = this.retailer === null ? null : fold(this.retailer);
    const found = (this.favoritesOnly ? data.all : data.current).filter(
      (offer) =>
        (!this.feed || offer.feed === this.feed)
        && (!this.favoritesOnly || data.favorites.has(offer.ref))
        && (category === null || offer.categories.some((each) => fold(each) === category))
        && (retailer === null || (offer.retailer !== null && fold(offer.retailer) === retailer)),
    );
    return sorted(found, this.sort, this.isReversed);
  }

  /** The fields of the form, and of the chips that remove a filter. */
  fields(frame, data, offers) {
    const chosen = (options, value) =>
      options?.map((option) => ({...option, isChosen: option.value === value}));
    const {choice} = frame.fields;
    const narrowed = [
      this.feed !== this.own && ["feed", data.titles.get(this.feed) ?? this.feed],
      this.favoritesOnly && !this.ofFavorites && ["favorites", "Favorites"],
      this.category && ["category", this.category],
      this.retailer && ["retailer", this.retailer],
    ].filter((each) => each && each[1]);
    return {
      choice: {
        ...choice,
        sorts: chosen(choice.sorts, this.sort),
        feedOptions: chosen(choice.feedOptions, this.feed),
        chosenCategory: this.category,
        chosenRetailer: this.retailer,
        chosenReverse: this.isReversed,
        chosenFavorites: this.favoritesOnly,
        categories: proposals(offers.flatMap(({categories}) => categories)),
        retailers: proposals(offers.map(({retailer}) => retailer).filter(Boolean)),
        sortLabel: this.sortLabel,
      },
      narrowed: narrowed.map(([left, label]) => ({label, link: this.link({left})})),
    };
  }
}

const letters = new Intl.Segmenter("en");

/** The first 50 of the sorted distinct texts, without long ones. */
function proposals(texts) {
  const isShort = (text) => text.length <= 100 || [...letters.segment(text)].length <= 100;
  const short = [...new Set(texts.filter(isShort))].sort(compareScalars);
  return short.slice(0, 50).map((text) => ({text}));
}

/** Sorts offers, which are in the order of the feeds. Offers without the sorted value come last. */
function sorted(offers, sort, isReversed) {
  const sign = isReversed ? -1 : 1;
  const numbers = (one, other) => {
    if (one === null || other === null) return (one === null) - (other === null);
    return sign * (one - other);
  };
  const names = new Map(sort === "name" ? offers.map((each) => [each, fold(each.card.name)]) : []);
  const orders = {
    feed: () => 0,
    name: (one, other) => sign * compareFolded(names.get(one), names.get(other)),
    newest: (one, other) => sign * (other.first_seen - one.first_seen),
    expiry: (one, other) => numbers(one.expires, other.expires),
    reward: ({reward: one}, {reward: other}) => {
      // Kinds and currencies keep their order in a reversed list, too.
      if (one[0] !== other[0]) return one[0] - other[0];
      if (one[1] !== other[1]) return (one[1] ?? "") < (other[1] ?? "") ? -1 : 1;
      return sign * ((other[2] ?? 0) - (one[2] ?? 0) || (other[3] ?? 0) - (one[3] ?? 0)
        || one[4] - other[4]);
    },
  };
  const compare = orders[sort] ?? orders.feed;
  const inOrder = isReversed ? [...offers].reverse() : [...offers];
  return inOrder.sort(compare);
}

/** The fields of an offer's card: the stored ones, its star, and the way back to the list. */
function cardOf(offer, data, back) {
  const isFavorite = data.favorites.has(offer.ref);
  return {...offer.card, isFavorite, starTo: isFavorite ? "0" : "1", back};
}

/** A note if not all offers of the list are stored. */
function heldNote(held, total, noun) {
  if (total === null || held >= total) return null;
  return `${numberText(held)} of ${countText(total, noun)} are on this device.`;
}

/** Makes the page of a list; `own` is the feed that it belongs to, or null. */
function listPage(url, frame, data, own) {
  const choice = new Choice(url, frame, own);
  const fields = sentFields(url);
  const number = fields.page();
  const isMap = own !== null && fields.get("view") === "map";
  const size = isMap ? MAP_SIZE : PAGE_SIZE;
  const whole = choice.select(data);
  const first = isMap ? 0 : (number - 1) * size;
  // One offer more tells whether there is a next page, as on the server.
  const offers = whole.slice(first, first + size + 1);
  const back = url.pathname + url.search;
  const layout = Object.keys(frame.fields).find((name) => name.startsWith("layout-") && frame.fields[name]);
  const view = own === null ? {} : mapFields(choice, offers, isMap, frame.fields);
  const showsMap = view["layout-map"];
  const shown = offers.slice(0, size).filter(({card}) => !showsMap || card.place);
  const held = data.current.filter(({feed}) => own === null || feed === own).length;
  const noun = choice.ofFavorites ? "favorites" : frame.count;
  const isPosters = layout === "layout-posters";
  const isEmpty = offers.length === 0;
  return {
    ...frame.fields,
    ...choice.fields(frame, data, offers),
    ...view,
    // Behind its last page, the server counts no offers of a feed.
    count: countText(isEmpty && own !== null ? 0 : whole.length, noun),
    heldNote: heldNote(held, frame.total, frame.count),
    cards: shown.map((offer) => cardOf(offer, data, back)),
    credit: layout === "layout-covers" ? creditOf(offers) : null,
    nothing: !isEmpty ? null : number > 1 || choice.narrows ? frame.no_match : frame.nothing,
    more: offers.length > size && !showsMap
      ? {
        moreLink: choice.link({page: number + 1, more: [["view", isMap ? "map" : null]]}),
        moreLabel: isPosters ? "Load more" : "Next page", isAutomatic: !isPosters,
      } : null,
  };
}

/** The fields that switch between the list and the map of a feed. */
function mapFields(choice, offers, isMap, fields) {
  if (!offers.some(({card}) => card.place)) return {hasMap: false};
  const isHidden = isMap && Object.fromEntries(
    Object.keys(fields).filter((name) => name.startsWith("layout-")).map((name) => [name, false]));
  return {
    hasMap: true, showsMap: isMap, listLink: choice.link(),
    mapLink: choice.link({more: [["view", "map"]]}),
    ...isHidden, ...(isMap ? {"layout-map": true} : {}),
  };
}

/** The copyright notice that all offers of the page share. */
function creditOf(offers) {
  const credits = new Set(
    offers.map(({attributes}) => attributes.find(([label]) => label === "Copyright")?.[1]));
  return credits.size === 1 ? [...credits][0] ?? null : null;
}
