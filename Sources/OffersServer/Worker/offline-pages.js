// Makes pages from the stored offers, with the templates and the look of the server.

/** The pages that the service worker can make. */
const MADE = /^\/(?:favorites|search|feeds\/[^/]+|offers\/[^/]+)?$/;

/**
 * Makes the page of an address from the stored offers. Returns null for a page that is not made of
 * them, such as the settings, for an offer that is not stored, and before the first update.
 */
async function makePage(url) {
  if (!MADE.test(url.pathname)) return null;
  const [data] = await Promise.all([readData(), readLetters()]);
  const made = data && pageOf(url, data);
  if (!made) return null;
  const main = await render(made.template, made.fields);
  const html = await render("shell", {
    pageTitle: made.title, kind: made.template, assets: VERSION, here: url.pathname + url.search,
    wayBack: made.back, ofFeed: made.feed, words: made.words, [`at-${made.menu}`]: true, main,
    user: data.user, maySync: data.maySync, hasHousehold: data.hasHousehold,
    sidebar: sidebarAt(url.pathname, data),
  });
  return responseWith(html);
}

/** The list of feeds beside the pages of wide screens; null if there is none. */
function sidebarAt(path, {sidebar}) {
  if (!sidebar || sidebar.length === 0) return null;
  return {sideFeeds: sidebar.map((each) => ({...each, isCurrent: each.link === path}))};
}

/** Makes the page for an address while nothing is stored, because of a logout or not. */
async function makeEmptyPage(url, isLoggedOut) {
  const here = url.pathname + url.search;
  const main = await render("notice", {
    noticeTitle: "You are offline", noticeIcon: "offline",
    noticeText: "The server does not answer, and nothing is stored on this device"
      + `${isLoggedOut ? " since you were logged out" : ""}.`,
    links: [{label: "Try again", link: here}],
  });
  return responseWith(await render("shell", {
    pageTitle: "You are offline", kind: "notice", assets: VERSION, here, main, maySync: false,
  }));
}

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

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
  + "connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; "
  + "base-uri 'none'; frame-ancestors 'none'";

/** A page before it is rendered: {template, title, menu, back, words, fields}; null if unknown. */
function pageOf(url, data) {
  const [, kind, name] = url.pathname.split("/");
  if (kind === "offers") return offerPage(url, data, decoded(name));
  const frame = data.frames.get(kind === "feeds" ? `/feeds/${encodeRef(decoded(name) ?? "")}` : url.pathname);
  if (!frame) return null;
  const page = {template: frame.template, title: frame.title, menu: frame.menu};
  if (kind === "search") return {...page, ...searchPage(url, frame, data)};
  const feed = kind === "feeds" ? decoded(name) : null;
  return {...page, feed, fields: listPage(url, frame, data, feed)};
}

function offerPage(url, data, ref) {
  const offer = data.find(ref);
  if (!offer) return null;
  const fields = {...offer.page};
  // Tiles come from another server, which the policy of these pages does not allow.
  if (fields.place) fields.place = {...fields.place, tiles: null};
  const end = fields.facts.find(({label}) => label === "Expires");
  if (end && isExpired(offer)) {
    // The offer has expired since it was stored.
    fields.expired = {expiredAt: end.moment};
    fields.facts = fields.facts.map((each) => (each === end ? {...end, label: "Expired on"} : each));
  }
  return {
    template: "offer", title: offer.title, menu: "offers", back: offer.back,
    fields: {...fields, offer: {...cardOf(offer, data, url.pathname + url.search), news: null, ...fields.offer}},
  };
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
