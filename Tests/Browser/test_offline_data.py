"""The data that browsers store: updates of it, its limits, and outages of the server."""

import time
import urllib.parse

from test_offline import OfflineBase
from test_stars import REF


class OutageTests(OfflineBase):
    """A server that does not answer, seen through a proxy that still does, or that is silent."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.use_proxy()

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, self.home.proxy, "outage", None)
        self.open("/")
        self.wait_worker()
        self.wait_stored()

    def test_an_error_of_the_proxy_counts_as_no_answer(self):
        self.home.proxy.outage = "gateway"
        self.open("/?sort=name")
        self.assertEqual(len(self.shown()), 60)
        self.open("/search?q=coffee")
        self.assertGreater(len(self.shown()), 1)

    def test_after_one_wait_pages_come_from_the_store_at_once(self):
        self.home.proxy.outage = "silent"
        start = time.monotonic()
        self.open("/?sort=name")
        self.assertEqual(len(self.shown()), 60)
        self.assertLess(time.monotonic() - start, 15)
        start = time.monotonic()
        self.open("/search?q=coffee")
        self.assertGreater(len(self.shown()), 1)
        self.assertLess(time.monotonic() - start, 5)


class UpdateTests(OfflineBase):
    """Updates send what changed, seen by a proxy between the browser and the server."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.use_proxy()

    @classmethod
    def tearDownClass(cls):
        cls.home.feeds.ibotta_extra = []
        super().tearDownClass()

    def requests(self, path):
        """The addresses that were requested below a path."""
        lines = [line.split(" ")[1] for line in list(self.home.proxy.requests)]
        return [line for line in lines if line.split("?")[0] == path]

    def offer(self, number, name):
        offer = dict(self.home.feeds.sample("ibotta")[0])
        return dict(offer, id=str(number), name=name, url=None)

    def sync(self, *offers):
        self.home.feeds.ibotta_extra = list(offers)
        self.home.run("sync", "--quiet", "ibotta", "--force")

    def stored_name(self, ref):
        return self.browser.execute_async_script(
            "const [ref, done] = arguments; indexedDB.open('offers-feeds').onsuccess = ({target}) => {"
            " target.result.transaction('offers').objectStore('offers').get(ref).onsuccess = (event) => {"
            "  target.result.close(); done(event.target.result?.card.name ?? null) } }", ref)

    def test_an_update_requests_the_offers_that_changed_only(self):
        self.sync(self.offer(777001, "First"), self.offer(777002, "Second"))
        self.open("/")
        self.wait_worker()
        self.wait_stored()
        self.wait("the offer is not stored", lambda: self.stored_name("ibotta:777002") == "Second")
        self.home.proxy.requests.clear()
        self.sync(self.offer(777002, "Changed"), self.offer(777003, "Third"))
        self.wait("the new offer is not stored", lambda: self.stored_name("ibotta:777003") == "Third")
        self.wait("the gone offer is still stored", lambda: self.stored_name("ibotta:777001") is None)
        self.assertEqual(self.stored_name("ibotta:777002"), "Changed")
        asked = [urllib.parse.unquote(each) for each in self.requests("/api/v1/offline/offers")]
        self.assertEqual(asked, ["/api/v1/offline/offers?refs=ibotta:777002,ibotta:777003"])
        # A star changes none of the offers, so that none is requested.
        self.home.proxy.requests.clear()
        self.home.run("favorite", REF)
        self.wait("the browser did not ask", lambda: self.requests("/api/v1/offline"))
        self.wait_stored()
        self.assertEqual(self.requests("/api/v1/offline/offers"), [])

    def test_a_favorite_that_its_feed_no_longer_has_is_kept_with_the_favorites(self):
        self.sync(self.offer(777001, "First"))
        self.home.run("favorite", "ibotta:777001")
        self.sync()
        self.open("/")
        self.wait_worker()
        self.wait("the favorite is not stored", lambda: (self.stored_offers() or {}).get("others") == 1)
        self.home.stop()
        self.open("/favorites")
        self.assertEqual(self.shown(), ["ibotta:777001"])
        self.assertTrue(self.all(".card.is-gone"))
        self.open("/offers/ibotta:777001")
        self.assertIn("First", self.find(".offer").text)
        self.open("/feeds/ibotta")
        self.assertNotIn("ibotta:777001", self.shown())


class BoundTests(OfflineBase):
    """What is stored is bounded."""

    @classmethod
    def tearDownClass(cls):
        cls.home.feeds.long_count = 3000
        super().tearDownClass()

    def test_a_list_says_how_many_of_its_offers_are_stored(self):
        self.home.feeds.long_count = 5200
        self.home.run("sync", "--quiet", "long")
        self.open("/")
        self.wait_worker()
        self.wait("the offers are not stored", lambda: (self.stored_offers() or {}).get("offers") == 5000, 120)
        self.home.stop()
        self.open("/")
        self.assertEqual(self.find(".stored").text, "5,000 of 5,264 offers are on this device.")
        self.open("/favorites")
        self.assertEqual(self.all(".stored"), [])

    def test_at_most_50_images_are_stored_and_those_of_favorites_stay(self):
        self.home.run("sync", "--quiet", "albums")
        self.home.run("favorite", REF)
        self.open("/")
        self.wait_worker()
        self.wait_stored()

        def images():
            return self.browser.execute_async_script(
                "const done = arguments[0]; caches.open('offers-images-2').then((each) => each.keys())"
                ".then((keys) => done(keys.map((key) => decodeURIComponent(new URL(key.url).pathname))))")

        own = "/api/v1/images/" + REF
        self.wait("the image of the favorite is not stored", lambda: own in images())
        most = 0
        for feed in ("albums", "ibotta", "albums"):
            self.open("/feeds/" + feed)
            self.wait_ready()
            for step in range(8):
                self.script("scrollTo(0, arguments[0] * document.documentElement.scrollHeight / 8)", step)
                most = max(most, len(images()))
        self.wait("the cache is not full", lambda: len(images()) == 50)
        self.assertLessEqual(most, 50)
        self.assertIn(own, images())

    def test_at_most_120_pages_are_stored(self):
        self.open("/")
        self.wait_worker()
        for page in range(130):
            self.browser.execute_async_script(
                "const done = arguments[1]; fetch(`/settings?${arguments[0]}`).then(() => done())", page)
        size = self.browser.execute_async_script(
            "const done = arguments[0]; caches.open('offers-pages-1').then((each) => each.keys())"
            ".then((keys) => done(keys.length))")
        self.assertEqual(size, 120)
