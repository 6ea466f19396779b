"""Refreshing, and the settings that belong to it."""

import json
import threading
import time
import unittest
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from home import DESKTOP, PHONE, BrowserTest


class RefreshTests(BrowserTest):
    feeds = ("ibotta",)

    def setUp(self):
        self.wait_idle()
        document = self.home.feeds.document
        self.addCleanup(setattr, self.home.feeds, "document", document)
        self.addCleanup(setattr, self.home.feeds, "ibotta_extra", [])

    def wait_idle(self):
        self.wait("a refresh goes on", lambda: json.loads(self.get("/api/v1/sync"))["state"] != "running")

    def show(self, path, size=PHONE):
        self.set_size(size)
        self.open(path)
        self.wait_ready()

    def refresh(self):
        self.find(".bar-refresh button").click()
        self.wait_refreshed()

    def wait_refreshed(self):
        self.wait("no end", lambda: any("Refreshed" in each.text for each in self.all(".toast")))

    def fail_to_refresh(self):
        original = self.home.feeds.document
        self.home.feeds.document = lambda name: None
        self.find(".bar-refresh button").click()
        self.wait_for("dialog[open]")
        self.home.feeds.document = original

    def touch(self, kind, y=None):
        points = [] if y is None else [{"x": 180, "y": y}]
        self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def wait_pulled(self, way):
        self.wait(f"it is not pulled {way} pixels down", lambda: f"translateY({way}px)" in self.script(
            "return document.querySelector('.pull')?.style.transform ?? ''"))

    @contextmanager
    def pulled_down(self):
        """Pulls the page down, and lets it go in the end."""
        self.touch("touchStart", 300)
        try:
            for y in range(310, 560, 20):
                self.touch("touchMove", y)
            # A screenshot gives the last move another place if the page has not had it yet.
            self.wait_pulled(120)
            yield
        finally:
            self.touch("touchEnd")
        self.wait("the sign stays", lambda: not self.all(".pull"))

    def prepare(self, text):
        """Runs a script in each page before its own ones, until the test has ended."""
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": text})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)

    def test_the_button_refreshes_and_says_what_came(self):
        self.show("/feeds/ibotta")
        self.home.feeds.ibotta_extra = [
            {"id": "1", "name": "A new offer", "current_value": "$9.00 Cash Back", "url": None}]
        self.find(".bar-refresh button").click()
        self.wait("it does not say what came", lambda: any("1 new" in each.text for each in self.all(".toast")))
        self.shoot("refreshed")
        self.find(".toast button").click()
        self.wait("no changes", lambda: self.browser.current_url.endswith("/changes"))
        self.assertEqual(self.find(".changes .card").get_attribute("data-ref"), "ibotta:1")
        self.shoot("changes")

    def test_pulling_down_refreshes(self):
        self.show("/feeds/ibotta")
        with self.pulled_down():
            self.shoot("pull")
        self.wait_refreshed()

    def test_a_page_that_is_put_anew_while_it_is_pulled_down_refreshes(self):
        self.show("/feeds/ibotta")
        with self.pulled_down():
            self.script("document.querySelector('main').replaceChildren()")
            self.touch("touchMove", 500)
            self.wait_pulled(100)
        self.wait_refreshed()

    def test_pulling_back_up_refreshes_nothing(self):
        self.show("/feeds/ibotta")
        before = self.get("/api/v1/sync")
        with self.pulled_down():
            self.touch("touchMove", 302)
            self.wait_pulled(1)
        self.assertEqual(self.all(".progress:not([hidden])"), [])
        self.assertEqual(self.get("/api/v1/sync"), before)

    def test_the_end_of_an_earlier_refresh_is_not_told_as_that_of_a_new_one(self):
        self.show("/feeds/ibotta")
        self.fail_to_refresh()
        # What the server says first, of the refresh that failed, comes behind the answer.
        self.prepare(
            "window.EventSource = class extends EventSource {"
            " addEventListener(kind, run) { super.addEventListener(kind, (event) => {"
            "  if (kind !== 'sync' || window.tellLate) run(event); else window.tellLate = () => run(event) }) } };"
            "const real = window.fetch; window.fetch = async (...all) => {"
            " const answer = await real(...all);"
            " if (all[1]?.method === 'POST') setTimeout(() => { window.tellLate(); window.isTold = true });"
            " return answer }")
        self.open("/feeds/ibotta")
        self.wait("nothing is said", lambda: self.script("return Boolean(window.tellLate)"))
        self.refresh()
        self.assertTrue(self.script("return window.isTold"))
        self.assertEqual(self.all("dialog[open]"), [])

    def test_a_refresh_that_ends_before_it_is_answered_is_told_once(self):
        # The answer is held back until the end is told, which takes long enough for its course to be.
        self.prepare(
            "window.told = 0; window.isAnswered = false;"
            "addEventListener('DOMContentLoaded', () => new MutationObserver((all) => { for (const each of all)"
            " for (const note of each.addedNodes) if (note.textContent.startsWith('Refreshed')) window.told += 1 })"
            " .observe(document.querySelector('[data-toasts]'), {childList: true}));"
            "const real = window.fetch; window.fetch = async (...all) => {"
            " const answer = await real(...all);"
            " if (all[1]?.method !== 'POST' || window.told > 0) return answer;"
            " while (window.told === 0) await new Promise((resolve) => setTimeout(resolve, 50));"
            " const begun = await answer.json();"
            " answer.json = async () => { setTimeout(() => { window.isAnswered = true }); return begun };"
            " return answer }")
        document = self.home.feeds.document

        def slow(name):
            time.sleep(1)
            return document(name)

        self.home.feeds.document = slow
        self.show("/feeds/ibotta")
        self.find(".bar-refresh button").click()
        self.wait("no answer", lambda: self.script("return window.isAnswered"))
        self.assertEqual(self.script("return window.told"), 1)
        # The next one can begin.
        self.home.feeds.document = document
        with self.pulled_down():
            pass
        self.wait("the next one is not told", lambda: self.script("return window.told") == 2)

    def test_a_server_that_is_started_anew_leaves_no_tab_busy(self):
        gate, document = threading.Event(), self.home.feeds.document

        def waiting(name):
            gate.wait(30)
            return document(name)

        self.home.feeds.document = waiting
        self.show("/feeds/ibotta", DESKTOP)
        one = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        other = self.browser.current_window_handle
        try:
            self.open("/settings")
            self.wait_ready()
            self.find(".bar-refresh button").click()
            for tab in (other, one):
                self.browser.switch_to.window(tab)
                self.wait_for(".bar-refresh [aria-busy=true]")
            self.home.stop()
            self.home.start()
            for tab in (one, other):
                self.browser.switch_to.window(tab)
                self.wait("it stays busy", lambda: not self.all("[aria-busy=true]"), 30)
        finally:
            gate.set()
            self.browser.switch_to.window(other)
            self.browser.close()
            self.browser.switch_to.window(one)

    def test_what_keeps_every_feed_from_being_refreshed_is_told(self):
        self.show("/feeds/ibotta")
        path = Path(self.home.environment["OFFERS_CONFIG"])
        self.addCleanup(path.write_text, path.read_text("utf-8"), "utf-8")
        path.write_text("feeds: [", "utf-8")
        self.find(".bar-refresh button").click()
        self.wait_for("dialog[open]")
        self.assertIn("feeds.yaml", self.find("dialog").text)
        self.shoot("refresh-broken")

    def test_a_refresh_leaves_the_map_and_the_suggestions_as_they_are(self):
        self.set_size(PHONE)
        self.home.run("sync", "--quiet", "restaurants", "movies")
        self.open("/feeds/restaurants?view=map")
        self.wait_for("[data-map][data-ready]")
        count = len(self.all(".leaflet-marker-icon"))
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes'")
        self.refresh()
        self.wait("the page is the old one", lambda: not self.all("main > [data-old]"))
        self.wait_for("[data-map][data-ready]")
        self.assertGreater(count, 10)
        self.assertEqual(len(self.all(".leaflet-marker-icon")), count)
        self.script("document.querySelector('.places .round').click()")
        self.wait_for(".leaflet-popup-content a")

        self.get("/search?feed=movies&q=lantern")
        self.open("/feeds/movies")
        self.find(".searchbox [name=q]").send_keys("lan")
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes'")
        # A press on the button would take the focus.
        self.script("document.querySelector('.bar-refresh').requestSubmit()")
        self.wait("the page is the old one", lambda: not self.all("main > [data-old]"))
        self.assertEqual(self.script(
            "const e = document.activeElement; return [e.name, e.value, e.selectionStart]"), ["q", "lan", 3])
        self.script("document.activeElement.blur()")
        self.find(".searchbox [name=q]").click()
        self.wait_for(".searchbox .suggestions:not([hidden]) [role=option]")
        self.assertEqual(len(self.all(".searchbox .suggestions")), 1)

    def test_a_map_is_drawn_anew_where_the_places_are_others(self):
        self.set_size(PHONE)
        self.home.run("sync", "--quiet", "restaurants")
        self.open("/feeds/restaurants?view=map")
        self.wait_for("[data-map][data-ready]")
        count = len(self.all(".leaflet-marker-icon"))
        original = self.home.feeds.document

        def fewer(name):
            document = original(name)
            if name == "restaurants":
                document["restaurants"] = document["restaurants"][1:]
            return document

        self.home.feeds.document = fewer
        self.refresh()
        self.wait("the map shows the old places", lambda: len(self.all(".places li")) == count - 1
                  and self.all("[data-map][data-ready]")
                  and len(self.all(".leaflet-marker-icon")) == count - 1)

    def test_the_focus_stays_on_the_button_of_a_feed(self):
        self.show("/settings", DESKTOP)
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes';"
                    "document.querySelector('[data-feed=ibotta] [data-refresh]').focus()")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.wait("the page is the old one", lambda: not self.all("main > [data-old]"))
        self.assertEqual(self.script("return document.activeElement.dataset.refresh"), "ibotta")

    def test_a_refresh_that_fails_is_told_in_an_alert(self):
        self.show("/feeds/ibotta")
        self.fail_to_refresh()
        self.assertIn("ibotta", self.find("dialog").text)
        self.shoot("refresh-failed")

    def test_settings_show_feeds_and_take_them_up(self):
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            self.open("/settings")
            self.assertIn("every day", self.find("[data-feed=ibotta]").text)
            self.no_overflow()
            self.shoot("settings")
        self.find("[data-subscribe=facts]").click()
        self.wait_for("[data-feed=facts] h3 a")
        self.assertIn("facts", self.home.run("status"))

    def change(self, source, interval):
        self.open("/settings")
        self.wait_ready()
        self.find("[data-feed=ibotta] summary").click()
        field = self.find("[data-feed=ibotta] input[name=source]")
        field.clear()
        field.send_keys(source)
        Select(self.find("[data-feed=ibotta] select")).select_by_visible_text(interval)
        for size in (DESKTOP, PHONE):
            self.set_size(size)
            self.no_overflow()
            self.shoot("settings-change")
        self.script("arguments[0].form.requestSubmit()", field)

    def test_what_is_typed_in_the_settings_stays_through_a_refresh(self):
        self.show("/settings", DESKTOP)
        self.find("[data-feed=ibotta] summary").click()
        field = self.find("[data-feed=ibotta] input[name=source]")
        field.clear()
        field.send_keys("https://half.typed/addr")
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes'")
        self.find(".bar-refresh button").click()
        self.wait("the page is the old one", lambda: not self.all("main > [data-old]"))
        field = self.find("[data-feed=ibotta] input[name=source]")
        self.assertEqual(field.get_attribute("value"), "https://half.typed/addr")
        self.assertTrue(field.is_displayed())

    def test_settings_change_the_source_and_the_interval(self):
        source = self.home.feeds_base + "/feeds/ibotta.json?another"

        # The list of intervals to choose from has all of them.
        def shown():
            feed = self.all("[data-feed=ibotta]")
            return feed[0].text if feed else ""

        self.change(source, "every 3 hours")
        self.wait("the interval is not shown", lambda: "Refreshed\nevery 3 hours" in shown())
        self.wait("the source is not shown", lambda: "ibotta.json?another" in shown())
        self.assertIn("ibotta: 3h", Path(self.home.environment["OFFERS_CONFIG"]).read_text("utf-8"))
        self.change("/etc/passwd", "as the feed says")
        self.wait_for("dialog[open]")
        self.assertIn("offers sync ibotta --from /etc/passwd", self.find("dialog").text)
        self.shoot("settings-refused")
        self.open("/settings")
        self.assertIn("every 3 hours", shown())
        self.assertIn("ibotta.json?another", shown())
        self.change(source, "as the feed says")
        self.wait("the interval is not shown", lambda: "Refreshed\nevery day" in shown())


if __name__ == "__main__":
    unittest.main()
