"""Refreshes, and the settings of feeds."""

import json
import threading
import time
from contextlib import contextmanager

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
        self.wait("a refresh is still running", lambda: json.loads(self.get("/api/v1/sync"))["state"] != "running")

    def show(self, path, size=PHONE):
        self.set_size(size)
        self.open(path)
        self.wait_ready()

    def refresh(self):
        self.find(".bar-refresh button").click()
        self.wait_refreshed()

    def wait_refreshed(self):
        self.wait("the end is not shown", lambda: any("Refreshed" in each.text for each in self.all(".toast")))

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
        self.wait(f"the page is not pulled {way} pixels down", lambda: f"translateY({way}px)" in self.script(
            "return document.querySelector('.pull')?.style.transform ?? ''"))

    @contextmanager
    def pulled_down(self):
        """Pulls the page down, and releases it at the end."""
        self.touch("touchStart", 300)
        try:
            for y in range(310, 560, 20):
                self.touch("touchMove", y)
            # A screenshot that is taken before the page has received the last move would change the
            # position of the touch.
            self.wait_pulled(120)
            yield
        finally:
            self.touch("touchEnd")
        self.wait("the icon of the pull stays", lambda: not self.all(".pull"))

    def prepare(self, text):
        """Runs a script in each page before the page's own scripts, until the end of the test."""
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": text})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)

    def test_a_decision_about_offers_that_are_held_back_needs_the_server(self):
        whole = self.home.feeds.document("ibotta")
        self.home.feeds.document = lambda name: whole[:1]
        self.home.run("sync", "ibotta")
        self.home.feeds.document = lambda name: whole
        self.show("/feeds/ibotta")
        self.home.stop()
        self.wait_for(".offline-bar:not([hidden])")
        for name in ("keeps", "accepts"):
            self.script("document.querySelector('.toasts').replaceChildren()")
            self.script(f"document.querySelector('.held-back [data-{name}]').click()")
            self.wait("nothing is told", lambda: "does not answer" in self.find(".toasts").text)
            self.assertFalse(self.all("dialog[open]"))
        self.assertTrue(self.browser.current_url.endswith("/feeds/ibotta"))
        self.home.start()
        self.home.run("sync", "ibotta", "--quiet")

    def test_the_button_refreshes_and_a_toast_shows_the_changes(self):
        self.show("/feeds/ibotta")
        self.home.feeds.ibotta_extra = [
            {"id": "1", "name": "A new offer", "current_value": "$9.00 Cash Back", "url": None}]
        self.find(".bar-refresh button").click()
        self.wait("the number of new offers is not shown", lambda: any("1 new" in each.text for each in self.all(".toast")))
        self.find(".toast button").click()
        self.wait("the page of changes does not open", lambda: self.browser.current_url.endswith("/changes"))
        self.assertEqual(self.find(".changes .card").get_attribute("data-ref"), "ibotta:1")

    def test_pulling_down_refreshes_the_feed_of_the_page(self):
        self.show("/feeds/ibotta")
        with self.pulled_down():
            pass
        self.wait_refreshed()
        feeds = [each["feed"] for each in json.loads(self.get("/api/v1/sync"))["feeds"]]
        self.assertEqual(feeds, ["ibotta"])
        self.show("/")
        with self.pulled_down():
            pass
        self.wait_refreshed()
        feeds = [each["feed"] for each in json.loads(self.get("/api/v1/sync"))["feeds"]]
        self.assertGreater(len(feeds), 1)

    def test_pulling_back_up_cancels_the_refresh(self):
        self.show("/feeds/ibotta")
        before = self.get("/api/v1/sync")
        with self.pulled_down():
            self.touch("touchMove", 302)
            self.wait_pulled(1)
        self.assertEqual(self.all(".progress:not([hidden])"), [])
        self.assertEqual(self.get("/api/v1/sync"), before)

    def test_a_late_event_of_an_earlier_refresh_is_not_shown_for_the_new_one(self):
        self.show("/feeds/ibotta")
        self.fail_to_refresh()
        # The first event on the new page, of the refresh that failed, is delivered only after the
        # response to the next refresh.
        self.prepare(
            "window.EventSource = class extends EventSource {"
            " addEventListener(kind, run) { super.addEventListener(kind, (event) => {"
            "  if (kind !== 'sync' || window.tellLate) run(event); else window.tellLate = () => run(event) }) } };"
            "const real = window.fetch; window.fetch = async (...all) => {"
            " const answer = await real(...all);"
            " if (all[1]?.method === 'POST') setTimeout(() => { window.tellLate(); window.isTold = true });"
            " return answer }")
        self.open("/feeds/ibotta")
        self.wait("no event arrives", lambda: self.script("return Boolean(window.tellLate)"))
        self.refresh()
        self.assertTrue(self.script("return window.isTold"))
        self.assertEqual(self.all("dialog[open]"), [])

    def test_a_refresh_that_ends_before_its_response_arrives_is_shown_once(self):
        # The response is held back until the end is shown. The slow feed makes time for progress events.
        self.prepare(
            "window.told = 0; window.isAnswered = false;"
            "addEventListener('DOMContentLoaded', () => new MutationObserver((all) => { for (const each of all)"
            " for (const note of each.addedNodes) if (note.textContent.startsWith('Refreshed')) window.told += 1 })"
            " .observe(document.querySelector('[data-toasts]'), {childList: true}));"
            "const real = window.fetch; window.fetch = async (...all) => {"
            " const answer = await real(...all);"
            " if (all[1]?.method !== 'POST' || window.told > 0) return answer;"
            " while (window.told === 0) await new Promise((resolve) => setTimeout(resolve, 50));"
            " setTimeout(() => { window.isAnswered = true }, 1000);"
            " return answer }")
        document = self.home.feeds.document

        def slow(name):
            time.sleep(1)
            return document(name)

        self.home.feeds.document = slow
        self.show("/feeds/ibotta")
        self.find(".bar-refresh button").click()
        self.wait("the response does not arrive", lambda: self.script("return window.isAnswered"))
        self.assertEqual(self.script("return window.told"), 1)
        # The page is not busy any more, and can start another refresh.
        self.home.feeds.document = document
        with self.pulled_down():
            pass
        self.wait("the end of the next refresh is not shown", lambda: self.script("return window.told") == 2)

    def test_a_restart_of_the_server_leaves_no_tab_busy(self):
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
            self.open("/settings/feeds")
            self.wait_ready()
            self.find(".bar-refresh button").click()
            for tab in (other, one):
                self.browser.switch_to.window(tab)
                self.wait_for(".bar-refresh [aria-busy=true]")
            self.home.stop()
            self.home.start()
            for tab in (one, other):
                self.browser.switch_to.window(tab)
                self.wait("the tab stays busy", lambda: not self.all("[aria-busy=true]"))
        finally:
            gate.set()
            self.browser.switch_to.window(other)
            self.browser.close()
            self.browser.switch_to.window(one)

    def test_a_refresh_preserves_the_map_and_the_recent_searches(self):
        self.set_size(PHONE)
        self.home.run("sync", "--quiet", "restaurants", "movies")
        self.open("/feeds/restaurants?view=map")
        self.wait_for("[data-map][data-ready]")
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes';"
                    "document.querySelector('[data-map]').dataset.old = 'yes';"
                    "document.querySelector('.bar-refresh').requestSubmit()")
        self.wait("the page is the old one", lambda: not self.all("main > [data-old]"))
        self.assertEqual(len(self.all("dialog[open] [data-map][data-ready][data-old]")), 1)
        self.script("document.querySelector('.places .round').click()")
        self.wait_for(".leaflet-popup-content a")

        self.get("/search?feed=movies&q=lantern")
        self.open("/feeds/movies")
        self.find(".searchbox [name=q]").send_keys("lan")
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes'")
        # A press of the refresh button would move the focus.
        self.script("document.querySelector('.bar-refresh').requestSubmit()")
        self.wait("the page is the old one", lambda: not self.all("main > [data-old]"))
        self.assertEqual(self.script(
            "const e = document.activeElement; return [e.name, e.value, e.selectionStart]"), ["q", "lan", 3])
        self.script("document.activeElement.blur()")
        self.find(".searchbox [name=q]").click()
        self.wait_for(".searchbox .suggestions:not([hidden]) [role=option]")
        self.assertEqual(len(self.all(".searchbox .suggestions")), 1)

    def test_the_focus_stays_on_the_button_of_a_feed(self):
        self.show("/settings/feeds", DESKTOP)
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes';"
                    "document.querySelector('[data-feed=ibotta] [data-refresh]').focus()")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.wait("the page is the old one", lambda: not self.all("main > [data-old]"))
        self.assertEqual(self.script("return document.activeElement.dataset.refresh"), "ibotta")

    def change(self, source, interval):
        self.open("/settings/feeds")
        self.wait_ready()
        self.find("[data-feed=ibotta] summary").click()
        field = self.find("[data-feed=ibotta] input[name=source]")
        field.clear()
        field.send_keys(source)
        Select(self.find("[data-feed=ibotta] select")).select_by_visible_text(interval)
        for size in (DESKTOP, PHONE):
            self.set_size(size)
            self.no_overflow()
        self.script("arguments[0].form.requestSubmit()", field)

    def test_a_refresh_preserves_an_unsaved_input_of_the_settings(self):
        self.show("/settings/feeds", DESKTOP)
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

        # The text also has every interval, in the form, so that the tests look for one after its
        # label.
        def shown():
            feed = self.all("[data-feed=ibotta]")
            return feed[0].text if feed else ""

        self.change(source, "every 3 hours")
        self.wait("the interval is not shown", lambda: "Schedule\nevery 3 hours" in shown())
        # The values in an address may be secret.
        self.wait("the source is not shown", lambda: "ibotta.json?…" in shown())
        self.change("/etc/passwd", "feed default")
        self.wait_for("dialog[open]")
        self.find("dialog[open] summary").click()
        self.assertIn("offers sync ibotta --from /etc/passwd", self.find("dialog").text)
        self.open("/settings/feeds")
        self.assertIn("every 3 hours", shown())
        self.assertIn("ibotta.json?…", shown())
        self.change(source, "feed default")
        self.wait("the interval is not shown", lambda: "Schedule\nevery day" in shown())
