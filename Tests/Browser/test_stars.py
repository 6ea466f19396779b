"""Stars: in two tabs, from the command line, and without a server."""

import urllib.request

from home import IS_WEBKIT, PHONE, BrowserTest

REF = "ibotta:900113"
OTHER = "ibotta:900115"


class StarBase(BrowserTest):
    feeds = ("ibotta",)

    def setUp(self):
        self.set_size(PHONE)
        for ref in self.home.favorites():
            self.home.run("favorite", "--remove", ref)

    def tearDown(self):
        if self.home.process is None:
            self.home.start()

    def pressed(self, ref):
        return self.script(
            "return document.querySelector(`[data-star='${arguments[0]}']`)?.getAttribute('aria-pressed')", ref)

    def press_star(self, ref):
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", ref)

    def wait_pressed(self, ref, wanted):
        self.wait(f"{ref} is not {wanted}", lambda: self.pressed(ref) == wanted)

    def stored(self, path):
        """Whether the service worker has stored the response to a path."""
        return self.browser.execute_async_script(
            "const done = arguments[1]; caches.match(arguments[0], {ignoreSearch: !arguments[0].includes('?')}).then((found) => done(Boolean(found)))", path)

    def wait_sent(self):
        self.wait("a wish is still waiting", lambda: self.waiting() == 0)

    def waiting(self):
        """The number of changes of stars that are stored in the browser and not sent yet."""
        return self.browser.execute_async_script(
            "const done = arguments[0]; indexedDB.open('offers').onsuccess = (event) => {"
            " event.target.result.transaction('stars').objectStore('stars').count().onsuccess ="
            " (count) => { event.target.result.close(); done(count.target.result) } }")


class StarTests(StarBase):
    def test_a_star_is_synchronized_between_two_tabs_and_the_command_line(self):
        self.open("/feeds/ibotta")
        grid = self.browser.current_window_handle
        # A tab that the driver of WebKit opens stays hidden, and a hidden page does not listen: it gets a window.
        self.browser.switch_to.new_window("window" if IS_WEBKIT else "tab")
        detail = self.browser.current_window_handle
        self.set_size(PHONE)
        try:
            self.open("/offers/" + REF)
            self.wait_ready()
            self.press_star(REF)
            self.wait_pressed(REF, "true")
            self.wait("the star was not sent", lambda: self.home.favorites() == [REF])
            self.browser.switch_to.window(grid)
            self.wait_pressed(REF, "true")
            self.home.run("favorite", "--remove", REF)
            self.wait_pressed(REF, "false")
            self.browser.switch_to.window(detail)
            self.wait_pressed(REF, "false")
            self.home.run("favorite", REF)
            self.wait_pressed(REF, "true")
            self.browser.switch_to.window(grid)
            self.wait_pressed(REF, "true")
        finally:
            self.browser.switch_to.window(detail)
            self.browser.close()
            self.browser.switch_to.window(grid)

    def test_a_star_of_another_browser_costs_no_request(self):
        self.open("/offers/" + REF)
        self.wait_ready()
        # The answers to the requests of the page and of its first events have arrived.
        self.star("PUT")
        self.wait_pressed(REF, "true")
        self.wait("requests are under way", self.is_quiet)
        before = self.script("return performance.getEntriesByType('resource').length")
        self.star("DELETE")
        self.wait_pressed(REF, "false")
        self.star("PUT")
        self.wait_pressed(REF, "true")
        names = self.script("return performance.getEntriesByType('resource').map(({name}) => name)")[before:]
        self.assertEqual(names, [])

    def star(self, method):
        """Changes the star of an offer as another browser does."""
        urllib.request.urlopen(urllib.request.Request(
            f"{self.home.base}/api/v1/offers/{REF}/favorite", b"{}", {"Content-Type": "application/json"},
            method=method), timeout=10).close()

    def is_quiet(self):
        """Whether the page has sent no request for a second."""
        return self.script(
            "return performance.now() - Math.max(...performance.getEntriesByType('resource')"
            ".map(({startTime}) => startTime)) > 1000")

    def test_a_favorite_that_is_added_elsewhere_appears_on_the_page_of_favorites(self):
        self.open("/favorites")
        self.wait_ready()
        self.assertEqual(self.all(".card"), [])
        self.home.run("favorite", REF)
        self.wait_for(f".card[data-ref='{REF}']")

    def test_a_page_listens_while_it_is_visible_and_then_shows_what_it_missed(self):
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source":
            "window.sources = []; window.EventSource = class extends EventSource {"
            " constructor(...all) { super(...all); window.sources.push(this) } }"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)
        self.open("/feeds/ibotta")
        open_sources = "return window.sources.filter(({readyState}) => readyState === 1).length"
        self.wait("the page does not listen", lambda: self.script(open_sources) == 1)
        self.become("hidden")
        self.assertEqual(self.script(open_sources), 0)
        self.home.run("favorite", REF)
        self.become("visible")
        self.wait_pressed(REF, "true")
        self.assertEqual(self.script(open_sources), 1)

    def become(self, state):
        self.script("Object.defineProperty(document, 'visibilityState', {value: arguments[0], configurable: true});"
                    "document.dispatchEvent(new Event('visibilitychange'))", state)

    def test_the_caches_of_old_versions_are_deleted(self):
        self.open("/")
        self.wait_worker()
        self.browser.execute_async_script(
            "const done = arguments[0]; caches.open('offers-files-old').then(() =>"
            " navigator.serviceWorker.getRegistration()).then((each) => each.unregister()).then(done)")
        self.open("/")
        self.wait_worker()
        self.wait("the old cache is not deleted", lambda: "offers-files-old" not in self.browser.execute_async_script(
            "const done = arguments[0]; caches.keys().then(done)"))


class WaitingTests(StarBase):
    """Tests through a proxy, which counts the writes that reach the server."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.use_proxy()

    def setUp(self):
        super().setUp()
        self.home.proxy.writes.clear()
        self.home.proxy.refused = 0

    def test_without_a_server_stored_pages_are_shown_and_a_star_is_sent_once_later(self):
        self.home.run("favorite", OTHER)
        self.open("/feeds/ibotta")
        self.wait_worker()
        self.open("/feeds/ibotta")
        self.open("/offers/" + REF)
        self.wait_stored()
        self.home.stop()

        self.open("/feeds/ibotta")
        self.wait_for(".offline-bar:not([hidden])")
        self.assertGreater(len(self.all(".grid .card")), 10)
        self.open("/favorites")
        self.wait_for(f".card[data-ref='{OTHER}']")
        self.open("/offers/" + OTHER)
        self.assertIn("Cash Back", self.find("h1").text)
        self.open("/changes")
        self.assertEqual(self.find("h1").text, "You are offline")

        self.open("/offers/" + REF)
        self.wait_pressed(REF, "false")
        self.press_star(REF)
        self.wait_pressed(REF, "true")
        self.wait_for(".toast")
        # The next page shows the star as well, although it was not sent.
        self.open("/feeds/ibotta")
        self.wait_pressed(REF, "true")

        # Later attempts are silent: they add no toast to that of the press.
        self.script("window.toasts = 0; new MutationObserver((all) => { for (const each of all)"
                    " window.toasts += each.addedNodes.length })"
                    ".observe(document.querySelector('[data-toasts]'), {childList: true});"
                    "window.tries = 0; const real = window.fetch; window.fetch = (...all) => {"
                    " if (all[1]?.method === 'PUT') window.tries += 1; return real(...all) }")
        self.wait("the request is not repeated", lambda: self.script("return window.tries") >= 2)
        self.assertEqual(self.script("return window.toasts"), 0)
        self.assertEqual(self.home.proxy.writes, [])
        self.home.start()
        self.wait("the star was not sent", lambda: self.home.favorites() == [REF, OTHER])
        self.wait_for(".offline-bar[hidden]")
        self.wait_sent()
        self.assertEqual(self.home.proxy.writes, [f"PUT /api/v1/offers/{REF}/favorite HTTP/1.1"])
        # A removal on the command line is not undone: the star is not sent a second time.
        self.home.run("favorite", "--remove", REF)
        self.wait_pressed(REF, "false")
        self.open("/feeds/ibotta")
        self.wait_pressed(REF, "false")
        self.assertEqual(self.home.favorites(), [OTHER])
        self.assertEqual(len(self.home.proxy.writes), 1)

    def test_a_server_that_fails_loses_no_star(self):
        self.open("/feeds/ibotta")
        self.wait_ready()
        for status in (503, 500, 408, 429, 401):
            with self.subTest(status=status):
                self.home.proxy.status = status
                refused = self.home.proxy.refused
                try:
                    self.press_star(REF)
                    self.wait("nothing was sent", lambda: self.home.proxy.refused > refused)
                    self.wait_for(".toast")
                    self.assertEqual(self.pressed(REF), "true")
                    self.assertEqual(self.waiting(), 1)
                finally:
                    self.home.proxy.status = None
                self.wait_sent()
                self.assertEqual(self.home.favorites(), [REF])
                self.assertEqual(self.pressed(REF), "true")
                self.press_star(REF)
                self.wait("the star was not removed", lambda: self.home.favorites() == [])
                self.wait_sent()

    def open_and_hold(self):
        """Opens a list, and records the states of the star. The next response with the favorites is held
        back until `freeFavorites()`, which can make it and all later ones fail."""
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.wait("the favorites are not known", lambda: self.script(
            "return performance.getEntriesByName(location.origin + '/api/v1/favorites').length > 0"))
        self.script(
            "window.held = 0; window.seen = []; const real = window.fetch;"
            "const gate = new Promise((resolve, reject) => {"
            " window.freeFavorites = (fails) => { window.fails = fails;"
            "  if (fails) reject(new TypeError('no server')); else resolve() } });"
            "window.fetch = async (...all) => { const answer = await real(...all);"
            " if (String(all[0]) !== '/api/v1/favorites') return answer;"
            " if (window.fails) throw new TypeError('no server');"
            " if (window.held > 0) return answer;"
            " window.held = 1;"
            " const given = new Promise((_, reject) => all[1]?.signal?.addEventListener('abort', reject));"
            " await Promise.race([gate, given]); return answer };"
            "const star = document.querySelector(`[data-star='${arguments[0]}']`);"
            "new MutationObserver(() => window.seen.push(star.getAttribute('aria-pressed')))"
            ".observe(star, {attributes: true, attributeFilter: ['aria-pressed']})", REF)

    def wait_held(self):
        self.wait("the favorites are not requested", lambda: self.script("return window.held") == 1)

    def test_a_request_for_the_favorites_without_a_response_is_repeated(self):
        self.open_and_hold()
        self.home.run("favorite", OTHER)
        self.wait_held()
        self.home.run("favorite", REF)
        self.wait("the favorites are not requested again", lambda: self.pressed(REF) == "true")
        self.assertEqual(self.pressed(OTHER), "true")

    def test_an_accepted_star_is_shown_even_if_the_server_stops_then(self):
        self.open_and_hold()
        self.press_star(REF)
        self.wait("the star was not sent", lambda: self.home.favorites() == [REF])
        self.wait_sent()
        self.home.run("favorite", OTHER)
        self.wait_held()
        self.browser.execute_async_script("window.freeFavorites(true); setTimeout(arguments[0], 300)")
        self.assertEqual(self.script("return window.seen"), ["true"])

    def test_a_response_from_before_a_star_was_sent_does_not_reset_it(self):
        self.open_and_hold()
        self.home.run("favorite", OTHER)
        self.wait_held()
        self.press_star(REF)
        self.wait("the star was not sent", lambda: self.home.favorites() == [REF, OTHER])
        self.wait_sent()
        self.browser.execute_async_script("window.freeFavorites(); setTimeout(arguments[0], 300)")
        self.wait_pressed(OTHER, "true")
        self.assertEqual(self.script("return window.seen"), ["true"])

    def test_an_update_of_the_stars_does_not_reset_one_that_is_being_stored(self):
        self.open_and_hold()
        self.home.run("favorite", OTHER)
        # The update of the stars before this one has ended: it needs IndexedDB, too.
        self.wait_held()
        # A transaction blocks IndexedDB until `freeStore()`, so that the update of the stars gets
        # the wishes only after the press.
        self.script(
            "window.reads = 0; const getAll = IDBObjectStore.prototype.getAll;"
            "IDBObjectStore.prototype.getAll = function (...all) { window.reads += 1; return getAll.apply(this, all) };"
            "window.isBusy = true; window.freeStore = () => { window.isBusy = false };"
            "indexedDB.open('offers').onsuccess = ({target}) => {"
            " const store = target.result.transaction('stars', 'readwrite').objectStore('stars');"
            " const spin = () => { if (window.isBusy) store.count().onsuccess = spin; else target.result.close() };"
            " spin(); window.isSpinning = true }")
        self.wait("the store is not busy", lambda: self.script("return window.isSpinning === true"))
        self.script("window.freeFavorites()")
        self.wait("the wishes were not read", lambda: self.script("return window.reads") >= 1)
        self.home.proxy.status = 503
        try:
            self.press_star(REF)
            self.script("window.freeStore()")
            self.wait("nothing was sent", lambda: self.home.proxy.refused > 0)
            self.wait_pressed(OTHER, "true")
            self.assertEqual(self.script("return window.seen"), ["true"])
        finally:
            self.home.proxy.status = None
        self.wait_sent()
        self.assertEqual(self.home.favorites(), [REF, OTHER])

    def test_a_permanent_refusal_is_shown_and_not_repeated(self):
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.home.proxy.status = 404
        try:
            self.press_star(REF)
            self.wait_for("dialog[open]")
        finally:
            self.home.proxy.status = None
        self.assertEqual(self.pressed(REF), "false")
        self.assertEqual(self.waiting(), 0)
        self.find("[data-alert-close]").click()


class ManyFavoritesTests(StarBase):
    """Tests with more favorites than one page shows."""

    feeds = ("ibotta", "long")

    def test_without_a_server_all_favorites_are_shown(self):
        refs = [f"long:{number}" for number in range(1, 78)] + ["ibotta:900113", "ibotta:900115", "ibotta:900116"]
        self.home.run("favorite", *refs)
        self.open("/")
        self.wait_worker()
        self.wait_stored()
        self.wait("the image is not stored", lambda: self.stored("/api/v1/images/ibotta:900116"))
        # The further pages of a long list are not stored as pages.
        for page in range(124):
            self.browser.execute_async_script(
                "const done = arguments[1]; fetch(`/feeds/long?page=${arguments[0]}`).then(() => done())", page + 1)
        self.assertFalse(self.stored("/feeds/long?page=3"))
        self.home.stop()
        self.open("/favorites")
        self.assertEqual(len(self.all(".card")), 60)
        self.wait("the second page is not appended", lambda: self.script(
            "scrollTo(0, document.documentElement.scrollHeight); return document.querySelectorAll('.card').length") == 80)
        self.open("/offers/ibotta:900116")
        self.wait("its image is not stored", lambda: self.script(
            "return document.querySelector('.offer-picture img')?.naturalWidth > 0"))
