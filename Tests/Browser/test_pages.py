"""The web page, refreshing, the keyboard, and pages without scripts."""

import json
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from selenium.common.exceptions import ElementClickInterceptedException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from home import DESKTOP, PHONE, BrowserTest


class WebTests(BrowserTest):
    feeds = ("ibotta",)

    def go(self, address):
        field = self.find(".address")
        field.clear()
        field.send_keys(address, Keys.ENTER)

    def framed(self):
        frame = self.all(".site iframe")
        return frame[0].get_attribute("src") if frame else None

    def test_back_next_refresh_and_a_home_page(self):
        site = self.home.feeds_base + "/site"
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            self.open("/settings")
            self.script("sessionStorage.clear(); localStorage.clear()")
            self.open("/web")
            self.wait_for("[data-web-back]:not([hidden])")
            self.assertIsNone(self.framed())
            self.shoot("web-start")
            self.go(site + "?1")
            self.wait("no site", lambda: self.framed() == site + "?1")
            self.go(site + "?2")
            self.wait("no second site", lambda: self.framed() == site + "?2")
            self.find("[data-web-back]").click()
            self.assertEqual(self.framed(), site + "?1")
            self.assertFalse(self.find("[data-web-back]").is_enabled())
            self.find("[data-web-next]").click()
            self.assertEqual(self.framed(), site + "?2")
            self.assertFalse(self.find("[data-web-next]").is_enabled())
            self.script("document.querySelector('.site iframe').dataset.old = 'yes'")
            self.find("[data-web-refresh]").click()
            self.assertIsNone(self.find(".site iframe").get_attribute("data-old"))
            self.shoot("web-site")
            self.no_overflow()
            self.find("[data-web-set-home]").click()
            self.script("sessionStorage.clear()")
            self.open("/web")
            self.wait("the home page did not come", lambda: self.framed() == site + "?2")

    def test_the_frame_is_sandboxed_and_a_card_leads_out(self):
        self.open("/web?url=" + self.home.feeds_base + "/refusing")
        self.wait_for("[data-web-back]:not([hidden])")
        sandbox = self.find(".site iframe").get_attribute("sandbox").split()
        self.assertNotIn("allow-same-origin", sandbox)
        self.assertNotIn("allow-top-navigation", sandbox)
        link = self.find("[data-web-open]")
        self.assertTrue(link.is_displayed())
        self.assertEqual(link.get_attribute("href"), self.home.feeds_base + "/refusing")
        self.assertIn("noopener", link.get_attribute("rel"))
        # The browser's own page about it counts as loaded; the card is plain all the same, and stays.
        self.wait_for(".site-card.is-loud")
        self.assertIn(self.home.feeds_base.removeprefix("http://"), self.find(".site-card").text)
        box = self.rect(".site-card")
        self.assertTrue(box["y"] >= 0 and box["bottom"] <= self.script("return innerHeight"))
        self.shoot("web-refused")
        self.find("[data-web-dismiss]").click()
        self.assertEqual(self.all(".site-card.is-loud"), [])
        self.assertTrue(link.is_displayed())
        self.find("[data-web-refresh]").click()
        self.wait_for(".site-card.is-loud")

    def test_only_http_is_shown(self):
        self.open("/settings")
        self.script("sessionStorage.clear(); localStorage.clear()")
        for address in ("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "about:blank"):
            self.open("/web?url=" + urllib.request.quote(address))
            self.wait_for("[data-web-back]:not([hidden])")
            self.assertIsNone(self.framed(), address)
            self.assertTrue(self.find("[data-web-problem]").is_displayed(), address)
            self.open("/web")
            self.wait_for("[data-web-back]:not([hidden])")
            self.go(address)
            self.assertIsNone(self.framed(), address)
            self.assertTrue(self.find("[data-web-problem]").is_displayed(), address)


class RefreshTests(BrowserTest):
    feeds = ("ibotta",)

    def test_the_button_refreshes_and_says_what_came(self):
        self.set_size(PHONE)
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.home.feeds.ibotta_extra = [
            {"id": "1", "name": "A new offer", "current_value": "$9.00 Cash Back", "url": None}]
        self.find(".bar-refresh button").click()
        toast = self.wait_for(".toast")
        self.wait("it does not say what came", lambda: "1 new" in self.find(".toast").text)
        self.shoot("refreshed")
        toast = self.find(".toast button")
        toast.click()
        self.wait("no changes", lambda: self.browser.current_url.endswith("/changes"))
        self.assertEqual(self.find(".changes .card").get_attribute("data-ref"), "ibotta:1")
        self.shoot("changes")

    def test_pulling_down_refreshes(self):
        self.set_size(PHONE)
        self.open("/feeds/ibotta")
        self.wait_ready()
        touch = lambda kind, y: self.browser.execute_cdp_cmd(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [] if kind == "touchEnd" else [{"x": 180, "y": y}]})
        touch("touchStart", 300)
        for y in range(310, 560, 20):
            touch("touchMove", y)
        self.wait_for(".pull")
        self.shoot("pull")
        touch("touchEnd", 560)
        self.wait_for(".toast")

    def refresh(self):
        self.find(".bar-refresh button").click()
        self.wait("no end", lambda: any("Refreshed" in each.text for each in self.all(".toast")))

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
        try:
            self.refresh()
            self.wait("the map shows the old places", lambda: len(self.all(".places li")) == count - 1
                      and self.all("[data-map][data-ready]")
                      and len(self.all(".leaflet-marker-icon")) == count - 1)
        finally:
            self.home.feeds.document = original

    def test_the_focus_stays_on_the_button_of_a_feed(self):
        self.set_size(DESKTOP)
        self.open("/settings")
        self.wait_ready()
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes';"
                    "document.querySelector('[data-feed=ibotta] [data-refresh]').focus()")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.wait("the page is the old one", lambda: not self.all("main > [data-old]"))
        self.assertEqual(self.script("return document.activeElement.dataset.refresh"), "ibotta")

    def test_a_refresh_that_fails_is_told_in_an_alert(self):
        self.set_size(PHONE)
        self.open("/settings")
        self.script("document.querySelector('[data-subscribe=long]') !== null")
        self.home.feed_server_down = True
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.home.feeds.ibotta_extra = [{"id": "x"}] * 3
        original = self.home.feeds.document
        self.home.feeds.document = lambda name: None
        try:
            self.find(".bar-refresh button").click()
            self.wait_for("dialog[open]")
            self.assertIn("ibotta", self.find("dialog").text)
            self.shoot("refresh-failed")
        finally:
            self.home.feeds.document = original
            self.home.feeds.ibotta_extra = []

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
        self.set_size(DESKTOP)
        self.open("/settings")
        self.wait_ready()
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


class KeyboardTests(BrowserTest):
    feeds = ("ibotta",)

    def focused(self):
        return self.script(
            "const e = document.activeElement; return e.dataset?.star || e.getAttribute('href') ||"
            " e.getAttribute('aria-label') || e.name || e.tagName")

    def tab(self, count=1):
        ActionChains(self.browser).send_keys(*[Keys.TAB] * count).perform()

    def test_the_keyboard_reaches_everything_and_focus_is_seen(self):
        self.set_size(DESKTOP)
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.tab()
        self.assertEqual(self.focused(), "#main")
        self.shoot("skip-link")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.wait("the skip link does not lead to the content", lambda: self.script(
            "return document.activeElement.id === 'main'"))
        seen = []
        for _ in range(14):
            self.tab()
            seen.append(self.focused())
        self.assertIn("/offers/ibotta:900113", seen)
        self.assertIn("ibotta:900113", seen)
        self.assertEqual(self.script(
            "return getComputedStyle(document.activeElement).outlineStyle"), "solid")
        self.script("document.querySelector('[data-star=\"ibotta:900113\"]').focus()")
        self.assertEqual(self.script(
            "return getComputedStyle(document.activeElement).opacity"), "1")
        self.browser.switch_to.active_element.send_keys(Keys.SPACE)
        self.wait("the space bar does not star", lambda: self.home.favorites() == ["ibotta:900113"])
        self.script("document.querySelector('.card-link').focus()")
        self.shoot("focus")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.wait("enter does not open", lambda: "/offers/ibotta" in self.browser.current_url)

    def test_the_way_back_leads_to_where_one_was(self):
        self.set_size(PHONE)
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.script("document.querySelectorAll('.card-link')[30].scrollIntoView()")
        place = self.script("return scrollY")
        self.script("document.querySelectorAll('.card-link')[30].click()")
        self.wait_for("[data-back]")
        self.wait_ready()
        self.find("[data-back]").click()
        self.wait("not back", lambda: self.browser.current_url.endswith("/feeds/ibotta"))
        self.wait("at another place", lambda: abs(self.script("return scrollY") - place) < 4)


class PlainTests(BrowserTest):
    """All of it without scripts."""

    feeds = ("ibotta", "movies")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})

    def is_clicked_at_end(self, selector):
        ActionChains(self.browser).send_keys(Keys.END).perform()
        try:
            self.find(selector).click()
        except ElementClickInterceptedException:
            return False
        return True

    def test_stars_forms_and_pages_work(self):
        self.open("/feeds/ibotta")
        self.assertGreater(len(self.all(".card")), 10)
        # Until the page has come to its end the button may lie behind the bar.
        self.wait("the button stays covered", lambda: self.is_clicked_at_end("[data-more]"))
        self.wait("the second page", lambda: "page=2" in self.browser.current_url)
        self.open("/offers/ibotta:900113")
        self.find(".star").click()
        self.wait_for(".star[aria-pressed=true]")
        self.assertEqual(self.home.favorites(), ["ibotta:900113"])
        self.assertTrue(self.browser.current_url.endswith("/offers/ibotta:900113"))
        self.shoot("plain-detail")
        self.open("/feeds/movies")
        field = self.find(".searchbox [name=q]")
        field.send_keys("quiet", Keys.ENTER)
        self.wait_for(".results .card")
        self.assertEqual(len(self.all(".results .card")), 20)
        self.open("/settings")
        self.find("[data-feed=ibotta] [data-refresh]").click()
        self.assertTrue(self.browser.current_url.endswith("/settings"))


if __name__ == "__main__":
    unittest.main()
