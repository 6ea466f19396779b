"""The pages without a server: after the first visit, lists, one offer, favorites, filters and search."""

import datetime
import json
import os
import random
import re
import urllib.parse

from home import PHONE, ROOT
from test_stars import OTHER, REF, StarBase


class OfflineBase(StarBase):
    """The base class of the tests."""

    def shown(self):
        """The references of the offers of the list."""
        return self.script("return [...document.querySelectorAll('main .card')].map((each) => each.dataset.ref)")

    def count(self):
        return self.find("main .count").text

    def listed(self, path):
        """The references of the offers on the page of the server, and on the one that the browser makes."""
        return self.browser.execute_async_script(
            "const [path, done] = arguments; (async () => {"
            " const read = async (headers) => { const answer = await fetch(path, {headers, cache: 'no-store'});"
            "  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');"
            "  return [...page.querySelectorAll('[data-list] > [data-ref]')].map((each) => each.dataset.ref) };"
            " return [await read({}), await read({'X-From-Store': '1'})]"
            "})().then(done, (error) => done([String(error), null]))", path)


class FirstVisitTests(OfflineBase):
    def test_the_first_page_is_there_without_a_server_after_one_visit(self):
        self.open("/feeds/ibotta")
        self.wait_worker()
        self.wait_stored()
        self.home.stop()
        self.browser.refresh()
        self.wait_for(".offline-bar:not([hidden])")
        self.wait("the offers are not shown", lambda: len(self.shown()) > 10)
        # The page that the icon of an installed app opens.
        self.open("/")
        self.assertEqual(self.find("h1").text, "Offers")
        self.assertGreater(len(self.shown()), 10)


class FavoritesTests(OfflineBase):
    def test_a_star_that_is_set_without_a_server_is_on_the_page_of_favorites_at_once(self):
        self.home.run("favorite", OTHER)
        self.open("/favorites")
        self.wait_worker()
        self.open("/")
        self.wait_ready()
        self.wait_stored()
        self.browser.switch_to.new_window("tab")
        try:
            self.set_size(PHONE)
            self.open("/favorites")
            self.wait_ready()
            favorites = self.browser.current_window_handle
            other = next(each for each in self.browser.window_handles if each != favorites)
            self.home.stop()
            self.browser.switch_to.window(other)
            self.press_star(REF)
            self.wait_pressed(REF, "true")
            # The star appears on the page that is open in another tab, and when the page is opened.
            self.browser.switch_to.window(favorites)
            self.wait_for(f".card[data-ref='{REF}']")
            self.assertEqual(self.count(), "2 favorites")
            self.browser.refresh()
            self.wait("the favorites are not shown", lambda: self.shown() == [REF, OTHER])
            self.assertEqual(self.count(), "2 favorites")
            self.assertEqual(self.pressed(REF), "true")
        finally:
            self.browser.close()
            self.browser.switch_to.window(other)

    def test_the_count_of_the_favorites_follows_the_stars(self):
        self.home.run("favorite", REF, OTHER)
        self.open("/favorites")
        self.wait_ready()
        self.assertEqual(self.count(), "2 favorites")
        self.press_star(REF)
        self.wait("the count did not change", lambda: self.count() == "1 favorite")
        # The card stays until the page is left, so that the star can be set again.
        self.assertEqual(self.shown(), [REF, OTHER])
        self.press_star(REF)
        self.wait("the count did not change", lambda: self.count() == "2 favorites")
        self.press_star(OTHER)
        self.wait("the star was not sent", lambda: self.home.favorites() == [REF])
        self.assertEqual(self.count(), "1 favorite")
        self.browser.refresh()
        self.assertEqual(self.shown(), [REF])
        self.assertEqual(self.count(), "1 favorite")


class SameLookTests(OfflineBase):
    """The pages that the browser makes are those of the server."""

    feeds = ("ibotta", "restaurants", "facts", "albums", "movies", "hostile")

    def setUp(self):
        super().setUp()
        ends = [datetime.date.today() + datetime.timedelta(days) for days in (-400, -2, 3, 40)]
        self.home.feeds.hostile_extra = [
            {"id": f"end{number}", "name": f"Offer {number}", "current_value": f"${number}.00", "ends": str(end)}
            for number, end in enumerate(ends)]
        self.home.run("sync", "--quiet", "--force", "hostile")
        self.home.run("favorite", REF, "albums:" + self.first("albums"), "facts:" + self.first("facts"), "hostile:end1")
        self.open("/")
        self.wait_worker()
        self.wait_stored()

    def first(self, feed):
        return json.loads(self.home.run("list", "--feed", feed, "--json"))["offers"][0]["id"]

    def compare(self, path, selector="body"):
        """The first difference between the page of the server and the one that the browser makes; None for none."""
        return self.browser.execute_async_script(
            "const [path, selector, done] = arguments; (async () => {"
            " const read = async (headers) => { const answer = await fetch(path, {headers, cache: 'no-store'});"
            "  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');"
            # The server proposes long categories cut off, which would select nothing.
            "  for (const each of page.querySelectorAll('datalist option')) if (each.value.length > 300) each.remove();"
            # Only the server draws the colors of a picture that loads; this device has the picture, or does not get it.
            # Watches and the total of favorites are the server's, too.
            "  for (const each of page.querySelectorAll('.blur, [data-online], [data-total]')) each.remove();"
            "  const part = page.querySelector(selector);"
            "  return page.title + part.outerHTML.replace(/\\s+/g, ' ').replace(/> /g, '>').replace(/ </g, '<') };"
            " const [one, other] = [await read({}), await read({'X-From-Store': '1'})];"
            " let at = 0; while (at < one.length && one[at] === other[at]) at += 1;"
            " return one === other ? null : [one.slice(at - 60, at + 160), other.slice(at - 60, at + 160)]"
            "})().then(done, (error) => done(String(error)))", path, selector)

    def test_lists_have_the_same_content(self):
        paths = [
            "/", "/all", "/all?sort=name&page=2", "/?page=2", "/?page=99", "/favorites", "/search", "/offers/" + REF, "/?category=none",
            "/settings", "/settings/about", "/settings/browser", "/web", "/?favorites=1", "/favorites?feed=albums", "/favorites?category=none", "/?retailer=x%20%26%20y",
        ]
        for feed in self.feeds:
            paths += [f"/feeds/{feed}", f"/feeds/{feed}?page=2", f"/offers/{feed}:{self.first(feed)}"]
            for sort in ("reward", "name", "newest", "expiry"):
                paths += [f"/feeds/{feed}?sort={sort}", f"/?feed={feed}&sort={sort}&reverse=1"]
        for sort in ("reward", "name", "newest", "expiry"):
            paths += [f"/?sort={sort}", f"/?sort={sort}&reverse=1"]
        paths += ["/feeds/restaurants?view=map", "/feeds/albums?category=music", "/feeds/ibotta?retailer=nobody"]
        values = ("1", "$1.50", "1.50 USD", "5%", "2 EUR", "nothing", "1.50 XYZ")
        for value in map(urllib.parse.quote, values):
            paths += [f"/?minimum={value}&sort=reward", f"/feeds/albums?maximum={value}&sort=price"]
        paths += ["/?new=1", "/?ending=1", "/?expired=1&sort=expiry", "/favorites?new=1&sort=name&reverse=1", "/favorites?sort=expiry",
                  "/feeds/hostile?expired=1", "/feeds/hostile?expired=1&sort=reward&reverse=1",
                  "/?ending=1&feed=hostile", "/offers/hostile:end0", "/offers/hostile:end2",
                  "/?new=1&minimum=1&feed=ibotta&sort=newest", "/feeds/albums?sort=price&reverse=1"]
        for name in ("category", "retailer"):
            for offer in json.loads(self.home.run("list", "--json", "--limit", "500"))["offers"][::9]:
                value = offer["categories"][:1] if name == "category" else [offer["retailer"]]
                if value and value[0] and len(value[0]) < 100:
                    paths.append(f"/?{name}={urllib.parse.quote(value[0].upper())}&sort=reward")
        for path in paths:
            with self.subTest(path=path):
                self.assertIsNone(self.compare(path))

    def test_words_and_filters_select_the_same(self):
        rolls = random.Random(7)
        offers = json.loads(self.home.run("list", "--json", "--limit", "500"))["offers"]
        words = sorted({word for offer in offers for word in re.findall("[a-z]{4,}", offer["name"].lower())})
        shops = sorted({shop for shop in (offer["retailer"] or "" for offer in offers) if shop and '"' not in shop and len(shop) < 100})
        labels = sorted({each for offer in offers for each in offer["categories"] if '"' not in each and len(each) < 100})
        terms = [
            lambda: rolls.choice(words), lambda: "-" + rolls.choice(words), lambda: f"{rolls.choice(words)} OR {rolls.choice(words)}",
            lambda: '"' + " ".join(rolls.choice(offers)["name"].replace('"', "").split()[:2]) + '"',
            lambda: rolls.choice(["", "-"]) + f"feed:{rolls.choice(self.feeds)}",
            lambda: rolls.choice(["", "-"]) + f'retailer:"{rolls.choice(shops).upper()}"',
            lambda: rolls.choice(["", "-"]) + f'category:"{rolls.choice(labels).lower()}"',
            lambda: f"reward:{rolls.choice(['>=', '<='])}{rolls.choice(['1', '$2', '5%'])}",
            lambda: f"price:{rolls.choice(['>=', '<='])}{rolls.choice(['5', '$10'])}",
            lambda: rolls.choice(["is:favorite", "is:expired"]), lambda: rolls.choice(["new:7d", "new:today", "ending:7d"]),
            lambda: f"near:32.95,-96.82,{rolls.choice([1, 10, 100])}km", lambda: f"sort:{rolls.choice(['', '-'])}{rolls.choice(['name', 'reward'])}",
        ]
        found = 0
        for _ in range(2000 if os.environ.get("OFFERS_TEST_LONG") == "1" else 120):
            text = " ".join(rolls.choice(terms)() for _ in range(rolls.choice([1, 1, 2, 3])))
            for path in ("/all", "/search"):
                with self.subTest(path=path, text=text):
                    one, other = self.listed(f"{path}?q={urllib.parse.quote(text)}")
                    self.assertEqual(one, other)
                    found += len(one) > 0
        self.assertGreater(found, 60)

    def test_every_offer_has_the_same_page(self):
        offers = json.loads(self.home.run("list", "--json", "--limit", "500"))["offers"]
        self.assertGreater(len(offers), 100)
        for offer in offers:
            with self.subTest(offer=offer["ref"]):
                self.assertIsNone(self.compare("/offers/" + urllib.parse.quote(offer["ref"], safe="")))


class AmountTests(OfflineBase):
    """The browser reads bounds as the server does."""

    feeds = ("amounts",)

    REWARDS = [
        "$2", "$2.50", "2", "US$2", "CA$2", "€2", "€0.50", "2 CLP", "¥100", "100 CNY", "₩100", "₪5", "20%", "2.5%", "99 SEK",
    ]
    BOUNDS = [
        "2", "$2", "2 $", "$2.50", "US$2", "C$2", "2 CLP", "€2", "1,50 €", "2eur", "EUR 2", "¥100", "₪5", "20%", "2,5 %",
    ]

    def test_bounds_select_the_same(self):
        self.home.feeds.amounts = self.REWARDS
        self.home.run("sync", "--quiet", "--force", "amounts")
        self.open("/")
        self.wait_worker()
        self.wait("the offers are not stored", lambda: len(set(map(str, lists := self.listed("/feeds/amounts")))) == 1 and len(lists[0]) > 1)
        found = 0
        for bound in self.BOUNDS:
            for sign in (">=", "<="):
                with self.subTest(bound=bound, sign=sign):
                    one, other = self.listed("/feeds/amounts?q=" + urllib.parse.quote(f'reward:{sign}"{bound}"'))
                    self.assertEqual(one, other)
                    found += len(one) > 0
        self.assertGreater(found, 20)


class SpelledTests(OfflineBase):
    """The browser finds and sorts what the server does, by the letters and the keys that it gets from it."""

    feeds = ("hostile",)

    @classmethod
    def tearDownClass(cls):
        cls.home.feeds.hostile_extra = []
        super().tearDownClass()

    SPELLED = [
        "Straße", "STRASSE", "Café", "Cafe\u0301", "ﬁne", "Fi\u00adne", "Æble", "Þór", "Łódź", "Smørrebrød", "ΣΟΦΟΣ", "σοφος",
        "Ｔｅａ", "tea", "Tea®", "TEAM", "7-Up", "7–UP", "007", "7", "１２", "12", "120", "日本", "日本語", "がく", "한국",
        "\u1112\u1161\u11ab", "Te\u200ba", "Tea™Up", "\u1c89\ua7cbtea", "①②", "🍓", "👩\u200d🌾", "İzmir", "ılık", "C++", "Don’t", "𝐓𝐞𝐚", "مُحَمَّد", "محمد",
        "Dont", "Coca-Cola", "cocacola", "coca", "M&M's", "mms", "and", "Und", "Wi Fi", "WiFi", "250g", "250", "g", "กาแฟเย็น", "เย็น", "オイル", "日-x-y", "a-b-c-d",
        "tea" * 100, "日" * 100, "x" * 255 + "日tea",
    ]
    # White space, the last two of which are one only for the server and only for JavaScript.
    SPACES = [" ", "\u3000", "\n", "\u2003", "\u0085", "\ufeff"]

    def test_searches_and_lists_have_the_same_order_however_words_are_spelled(self):
        chance = random.Random(50)

        def some(least, most, space=" "):
            return space.join(chance.choice(self.SPELLED) for _ in range(chance.randint(least, most)))

        self.home.feeds.hostile_extra = [
            {"id": f"spelled{number}", "name": some(1, 3), "description": some(1, 4), "terms": some(1, 5),
             "retailer": some(1, 1), "categories": [some(1, 2) for _ in range(chance.randint(0, 2))], "artist": some(1, 2)}
            for number in range(60)]
        self.home.run("sync", "--quiet", "--force", "hostile")
        self.open("/")
        self.wait_worker()
        self.wait("the offers are not stored", lambda: "hostile:spelled" in str(self.shown_by("/search?q=Tea&feed=hostile", True)))
        paths = []
        for _ in range(100):
            words = some(1, 3, chance.choice(self.SPACES))
            if chance.random() < 0.5 and len(words.split()[-1]) > 2:
                words = words[:-1]
            paths.append("/search?feed=hostile&q=" + urllib.parse.quote(words))
        for _ in range(60):
            fields = {"sort": chance.choice(["name", "feed"]), "reverse": chance.choice(["0", "1"])}
            if chance.random() < 0.4:
                fields["retailer"] = some(1, 1)
            if chance.random() < 0.4:
                fields["category"] = some(1, 2)
            paths.append("/feeds/hostile?" + urllib.parse.urlencode(fields))
        differing = {path: found for path in paths
                     if (found := [self.shown_by(path, isStored) for isStored in (False, True)])[0] != found[1]}
        self.assertEqual(differing, {})

    def test_each_character_folds_as_it_does_for_the_server(self):
        # Of the many Chinese characters of the supplements, which stand for themselves, some.
        values = [*range(0x20, 0xD800), *range(0xE000, 0x2_0000), *range(0x2_0000, 0x4_0000, 97), *range(0xE_0000, 0xE_0200)]
        texts = [f"x{''.join(map(chr, values[start:start + 100]))}x" for start in range(0, len(values), 100)]
        self.home.feeds.hostile_extra = [
            {"id": f"letters{start}", "name": "Letters", "categories": texts[start:start + 250]} for start in range(0, len(texts), 250)]
        self.home.run("sync", "--quiet", "--force", "hostile")
        self.open("/")
        folding = (ROOT / "Sources/OffersServer/Worker/offline-texts.js").read_text("utf-8")
        count, differing = self.browser.execute_async_script(
            folding + "const [refs, done] = arguments; (async () => {"
            " useLetters(await (await fetch('/assets/letters.json')).json());"
            " const all = [], differing = [];"
            " for (const ref of refs) {"
            "  const {offers: [offer]} = await (await fetch('/api/v1/offline/offers?refs=' + encodeURIComponent(ref))).json();"
            "  offer.categories.forEach((text, index) => { all.push(...text);"
            "   if (equalText(text) !== offer.category_keys[index]) differing.push(text) }) }"
            " return [new Set(all).size, differing] })().then(done, (error) => done([String(error), []]))",
            [f"hostile:{offer['id']}" for offer in self.home.feeds.hostile_extra])
        self.assertEqual(differing, [])
        # All but control characters, which the server replaces.
        self.assertGreater(count, len(values) - 100)

    def shown_by(self, path, is_stored):
        """The references and marked words of the cards of the page of the server, or of the one that the browser makes."""
        return self.browser.execute_async_script(
            "const [path, headers, done] = arguments; (async () => {"
            " const answer = await fetch(path, {headers, cache: 'no-store'});"
            " const page = new DOMParser().parseFromString(await answer.text(), 'text/html');"
            " return [...page.querySelectorAll('main .card')].map((each) =>"
            "  [each.dataset.ref, [...each.querySelectorAll('mark')].map((mark) => mark.textContent).join(' ')])"
            "})().then(done, (error) => done(String(error)))", path, {"X-From-Store": "1"} if is_stored else {})


class ReadingTests(OfflineBase):
    """Everything is read and searched while the server is stopped, after one visit of the first page."""

    feeds = ("ibotta", "restaurants", "facts", "albums", "movies", "long")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.get(cls.home.base + "/")

    def setUp(self):
        super().setUp()
        if self.home.process is None:
            return
        self.home.run("favorite", OTHER)
        self.open("/")
        self.wait_worker()
        self.wait_stored()
        self.home.stop()

    def tearDown(self):
        self.set_mode("light")

    def found(self, words):
        self.open("/search?q=" + urllib.parse.quote(words))
        return [each.text for each in self.all(".results .name")]

    def test_lists_and_offers_that_were_never_opened_are_shown(self):
        for feed, number in (("ibotta", 60), ("restaurants", 24), ("facts", 15), ("albums", 60), ("movies", 40)):
            self.open("/feeds/" + feed)
            self.wait_for(".offline-bar:not([hidden])")
            self.assertEqual(len(self.shown()), number, feed)
            self.no_overflow(feed)
        self.find(".card-link").click()
        self.wait_for("article.offer")
        self.assertTrue(self.find("h1").text)

    def test_a_long_list_is_loaded_on_scrolling(self):
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.wait("the rest is not appended", lambda: self.script(
            "scrollTo(0, document.documentElement.scrollHeight); return document.querySelectorAll('.card').length") == 64)

    def test_the_form_filters_and_sorts(self):
        self.open("/feeds/albums")
        self.find(".choice-button").click()
        self.wait_still()
        self.script("document.querySelector('[name=sort]').value = 'name'")
        self.find(".choice [type=submit], .choice .primary").click()
        self.wait("the list is not sorted", lambda: "sort=name" in self.browser.current_url)
        names = [each.text for each in self.all(".covers .name")][:5]
        self.assertEqual(names[:2], ["Ámbar", "Apartment 4C"])
        self.open("/?favorites=1")
        self.assertEqual(self.shown(), [OTHER])
        self.open("/favorites")
        self.assertEqual(self.shown(), [OTHER])
        self.assertEqual(self.count(), "1 favorite")

    def test_the_search_finds_all_words_prefixes_and_words_without_accents_and_case(self):
        cafe = "Café Lumière® Ground Coffee"
        self.assertIn(cafe, self.found("ground coffee"))
        self.assertIn(cafe, self.found("CAFE lumiere"))
        self.assertIn(cafe, self.found("coffee lum"))
        self.assertNotIn(cafe, self.found("lum coffee"))
        self.assertEqual(self.found("coffee lighthouses"), [])
        self.assertRegex(self.find(".empty").text, "No offer found for “[^”]+”")
        # The words of the name come before those of the description.
        for word in ("bread", "coffee"):
            are_named = [word in name.lower() for name in self.found(word)]
            self.assertIn(True, are_named)
            self.assertEqual(are_named, sorted(are_named, reverse=True), word)
        self.assertTrue(self.all(".results mark"))
        self.open("/search?q=number&feed=long")
        self.assertEqual(len(self.shown()), 20)
        self.script("document.querySelector('[data-more]').click()")
        self.wait("the second page is not appended", lambda: len(self.shown()) == 40)

    def test_a_page_that_is_not_made_of_offers_and_was_not_opened_says_so(self):
        self.open("/changes")
        self.assertEqual(self.find("h1").text, "You are offline")
        self.open("/offers/ibotta:1")
        self.assertEqual(self.find("h1").text, "You are offline")
