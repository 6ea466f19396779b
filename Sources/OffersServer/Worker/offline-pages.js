// Makes pages from the stored offers, with the templates and the look of the server.

/**
 * Makes the page of an address from the stored data. Returns null for a page that is not made of it, such as
 * what is new, for an offer that is not stored, and before the first update.
 */
async function makePage(url) {
  const [data] = await Promise.all([readData(), readLetters()]);
  const made = data && pageOf(url, data);
  return made && complete(made, url, data);
}

/** A response with a page in the frame of all pages; `data` is null while nothing is stored. */
async function complete({template, title, menu, back, feed, words, fields}, url, data) {
  const main = await render(template, fields);
  return responseWith(await render("shell", {
    pageTitle: title, kind: template, assets: VERSION, here: url.pathname + url.search, wayBack: back, ofFeed: feed,
    words, [`at-${menu}`]: true, main, user: data?.user, maySync: data?.maySync, hasHousehold: data?.hasHousehold,
    sidebar: data && sidebarAt(url.pathname, data), tiles: TILES,
  }));
}

/** The list of feeds beside the pages of wide screens; null if there is none. */
function sidebarAt(path, {sidebar}) {
  if (!sidebar || sidebar.length === 0) return null;
  return {sideFeeds: sidebar.map((each) => ({...each, isCurrent: each.link === path}))};
}

/** Makes the page for an address while nothing is stored, because of a logout or not. */
function makeEmptyPage(url, isLoggedOut) {
  const notice = {
    noticeTitle: "You are offline", noticeIcon: "offline",
    noticeText: "The server does not answer, and nothing is stored on this device"
      + `${isLoggedOut ? " since you were logged out" : ""}.`,
    links: [{label: "Try again", link: url.pathname + url.search}],
  };
  return complete(
    browserSettings(url) ?? {template: "notice", title: notice.noticeTitle, fields: notice}, url, null);
}

/** The settings of the browser, which need no data; null for another address. */
const browserSettings = ({pathname}) => pathname !== "/settings/browser" ? null
  : {template: "settings-browser", title: "This browser", menu: "settings", back: "/settings", fields: {}};

/** The addresses in a page; the server names the attributes (BasePath). */
const ADDRESSES = / (?:__ADDRESS_ATTRIBUTES__)="(?=\/)/g;

/** A response with a complete page, in which the addresses of the server are below its path. */
function responseWith(html) {
  // The server's policy is that of every page, and the page may not frame other sites.
  return new Response(html.replace(ADDRESSES, `$&${BASE}`), {
    headers: {
      "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY,
      "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Kept": "1",
    },
  });
}

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: "
  + `${TILE_ORIGIN ?? ""}; connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; `
  + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A page before it is rendered: {template, title, menu, back, words, fields}; null if unknown. */
function pageOf(url, data) {
  const [, kind, name] = url.pathname.split("/");
  if (kind === "offers") return offerPage(url, data, decoded(name));
  // The start page with a query is the list of all offers.
  const frame = kind === "feeds" ? data.frames.get(`/feeds/${encodeRef(decoded(name) ?? "")}`)
    : url.pathname === "/" && url.search ? frameOfAll(data) : data.frames.get(url.pathname);
  if (!frame) return browserSettings(url);
  const page = {template: frame.template, title: frame.title, menu: frame.menu, back: frame.back};
  if (frame.names_offers) {
    const fields = withOffers(frame.fields, data, url.pathname + url.search);
    return {...page, fields: {...fields, asked: sentFields(url).get("url"), storedNote: fields.rails && storedNote(data)}};
  }
  if (kind === "search") return {...page, ...searchPage(url, frame, data)};
  const feed = kind === "feeds" ? decoded(name) : null;
  return {...page, feed, fields: listPage(url, frame, data, feed)};
}

/** The variables of a page with the offers that its cards name, without those that are not stored. */
function withOffers({cards, rails, ...fields}, data, back) {
  return {
    ...fields,
    cards: cards?.map(({ref, ...more}) => [data.find(ref), more]).filter(([offer]) => offer)
      .map(([offer, more]) => ({...cardOf(offer, data, back), ...more})),
    rails: rails?.map((rail) => withOffers(rail, data, back)).filter((rail) => rail.cards.length > 0),
  };
}

function offerPage(url, data, ref) {
  const offer = data.find(ref);
  if (!offer) return null;
  const fields = {...offer.page};
  const end = fields.facts.find(({label}) => label === "Expires");
  if (end && isExpired(offer)) {
    // The offer has expired since it was stored.
    fields.expired = {expiredAt: end.moment};
    fields.facts = fields.facts.map((each) => (each === end ? {...end, label: "Expired on"} : each));
  }
  const back = url.pathname + url.search;
  return {
    template: "offer", title: offer.title, menu: "offers", back: offer.back,
    // What is hidden is not stored.
    fields: {
      ...fields, hiding: {hidingRef: offer.ref, isHidden: false, hideTo: "1", back},
      offer: {...cardOf(offer, data, back), news: null, ...fields.offer},
    },
  };
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
