"""Stars: in two tabs, by the command line, and without a server."""

import unittest

from home import PHONE, BrowserTest

REF = "ibotta:900113"
OTHER = "ibotta:900115"


class StarTests(BrowserTest):
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

    def press(self, ref):
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", ref)

    def wait_pressed(self, ref, wanted):
        self.wait(f"{ref} is not {wanted}", lambda: self.pressed(ref) == wanted)

    def test_a_star_goes_round_through_two_tabs_and_the_command_line(self):
        self.open("/feeds/ibotta")
        grid = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.set_size(PHONE)
        try:
            self.open("/offers/" + REF)
            self.wait_ready()
            detail = self.browser.current_window_handle
            self.press(REF)
            self.wait_pressed(REF, "true")
            self.wait("the server did not hear of it", lambda: self.home.favorites() == [REF])
            self.browser.switch_to.window(grid)
            self.wait_pressed(REF, "true")
            self.shoot("star-grid")
            self.home.run("favorite", "--remove", REF)
            self.wait_pressed(REF, "false")
            self.browser.switch_to.window(detail)
            self.wait_pressed(REF, "false")
            self.home.run("favorite", REF)
            self.wait_pressed(REF, "true")
            self.shoot("star-detail")
            self.browser.switch_to.window(grid)
            self.wait_pressed(REF, "true")
            self.browser.switch_to.window(detail)
        finally:
            self.browser.close()
            self.browser.switch_to.window(grid)

    def test_the_page_of_favorites_gets_what_is_starred_elsewhere(self):
        self.open("/favorites")
        self.wait_ready()
        self.assertEqual(self.all(".card"), [])
        self.home.run("favorite", REF)
        self.wait_for(f".card[data-ref='{REF}']")

    def test_without_a_server_pages_are_read_and_a_star_is_sent_once_later(self):
        self.home.run("favorite", OTHER)
        self.open("/feeds/ibotta")
        self.wait_worker()
        self.open("/feeds/ibotta")
        self.open("/offers/" + REF)
        self.wait("the favorites are not kept", lambda: self.browser.execute_async_script(
            "const done = arguments[0]; caches.match('/offers/ibotta:900115').then((found) => done(Boolean(found)))"))
        self.home.stop()

        self.open("/feeds/ibotta")
        self.wait_for(".offline-bar:not([hidden])")
        self.assertGreater(len(self.all(".grid .card")), 10)
        self.shoot("offline-grid")
        self.open("/favorites")
        self.wait_for(f".card[data-ref='{OTHER}']")
        self.open("/offers/" + OTHER)
        self.assertIn("Cash Back", self.find("h1").text)
        self.open("/search?q=never+seen")
        self.assertEqual(self.find("h1").text, "You are offline")
        self.shoot("offline-unseen")

        self.open("/offers/" + REF)
        self.wait_pressed(REF, "false")
        self.press(REF)
        self.wait_pressed(REF, "true")
        self.wait_for(".toast")
        self.shoot("offline-star")
        # It outlives the page, too.
        self.open("/feeds/ibotta")
        self.wait_pressed(REF, "true")

        self.script(
            "window.sent = []; const real = window.fetch; window.fetch = (...all) => {"
            " if (all[1]?.method === 'PUT') window.sent.push(all[0]); return real(...all) }")
        self.home.start()
        self.wait("the star was not sent", lambda: self.home.favorites() == [REF, OTHER], 30)
        self.wait_for(".offline-bar[hidden]", 30)
        self.wait("it waits still", lambda: self.browser.execute_async_script(
            "const done = arguments[0]; indexedDB.open('offers', 1).onsuccess = (event) => {"
            " event.target.result.transaction('stars').objectStore('stars').count().onsuccess ="
            " (count) => { event.target.result.close(); done(count.target.result === 0) } }"))
        answered = [each for each in self.script("return window.sent")]
        self.assertTrue(answered)
        changes = [row for row in self.home.favorites() if row == REF]
        self.assertEqual(changes, [REF])
        # Taken back by the command line it stays away: nothing is sent a second time.
        self.home.run("favorite", "--remove", REF)
        self.wait_pressed(REF, "false")
        self.open("/feeds/ibotta")
        self.wait_pressed(REF, "false")
        self.assertEqual(self.home.favorites(), [OTHER])

    def test_caches_are_bounded_and_old_ones_go(self):
        self.open("/")
        self.wait_worker()
        self.browser.execute_async_script(
            "const done = arguments[0]; caches.open('offers-files-old').then(() =>"
            " navigator.serviceWorker.getRegistration()).then((each) => each.unregister()).then(done)")
        self.open("/")
        self.wait_worker()
        self.wait("an old cache stayed", lambda: "offers-files-old" not in self.browser.execute_async_script(
            "const done = arguments[0]; caches.keys().then(done)"))
        for page in range(130):
            self.browser.execute_async_script(
                "const done = arguments[1]; fetch(`/?page=${arguments[0]}`).then(() => done())", page + 1)
        size = self.browser.execute_async_script(
            "const done = arguments[0]; caches.open('offers-pages-1').then((each) => each.keys())"
            ".then((keys) => done(keys.length))")
        self.assertLessEqual(size, 120)


if __name__ == "__main__":
    unittest.main()
