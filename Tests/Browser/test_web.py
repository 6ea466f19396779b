"""The page that shows other sites."""

import unittest
import urllib.request

from selenium.webdriver.common.keys import Keys

from home import DESKTOP, PHONE, BrowserTest

SIZES = (PHONE, (820, 1180), (1180, 820), DESKTOP)


class WebTests(BrowserTest):
    feeds = ("ibotta",)

    def go(self, address):
        field = self.find(".address")
        field.clear()
        field.send_keys(address, Keys.ENTER)

    def framed(self):
        frame = self.all(".site iframe")
        return frame[0].get_attribute("src") if frame else None

    def test_a_link_from_another_site_is_shown_after_consent(self):
        other = self.home.feeds_base + "/site"
        address = other + "?private"
        # First without the service worker, then with it: both requests must tell where they come from.
        for has_worker in (False, True):
            if has_worker:
                self.open("/settings")
                self.wait_worker()
            self.browser.get(other)
            self.script("sessionStorage.clear(); location.href = arguments[0]",
                        f"{self.home.base}/web?url={urllib.request.quote(address)}")
            self.wait_for("[data-browser][data-offered]")
            self.wait_for("[data-web-back]:not([hidden])")
            self.assertIsNone(self.framed())
            self.assertEqual(self.find(".address").get_attribute("value"), address)
            self.shoot("web-offered")
            self.find(".address-bar .primary").click()
            self.wait("the site is not shown", lambda: self.framed() == address)
            # In this tab the person has confirmed it, so a reload shows it again.
            self.browser.refresh()
            self.wait("the site is not shown again", lambda: self.framed() == address)
            self.script("sessionStorage.clear()")

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
            self.wait("the site is not shown", lambda: self.framed() == site + "?1")
            self.go(site + "?2")
            self.wait("the second site is not shown", lambda: self.framed() == site + "?2")
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
            self.wait("the home page is not shown", lambda: self.framed() == site + "?2")

    def test_the_settings_delete_the_visited_sites_and_the_home_page(self):
        site = self.home.feeds_base + "/site"
        self.open("/web?url=" + site)
        self.wait_for("[data-web-set-home]:not([hidden])").click()
        self.assertEqual(self.script("return localStorage.getItem('web-home')"), site)
        self.open("/settings/browser")
        button = self.wait_for("[data-forget]:not([hidden])")
        self.script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        self.assertEqual(self.script(
            "return [localStorage.getItem('web-home'), sessionStorage.getItem('web-history')]"), [None, None])
        self.open("/web")
        self.wait_for("[data-web-start]:not([hidden])")
        self.assertIsNone(self.framed())

    def wait_checked(self):
        """Waits until the server has said whether the site refuses to be framed."""
        self.wait("the site is not checked", lambda: self.script(
            "return performance.getEntriesByType('resource').some((each) =>"
            " each.name.endsWith('/api/v1/framing') && each.responseEnd > 0)"))

    def test_the_frame_is_sandboxed_and_a_refusal_is_told(self):
        self.open("/web?url=" + self.home.feeds_base + "/refusing")
        self.wait_for(".site-card.is-loud")
        sandbox = self.find(".site iframe").get_attribute("sandbox").split()
        self.assertNotIn("allow-same-origin", sandbox)
        self.assertNotIn("allow-top-navigation", sandbox)
        link = self.find("[data-web-open]")
        self.assertEqual(link.get_attribute("href"), self.home.feeds_base + "/refusing")
        self.assertIn("noopener", link.get_attribute("rel"))
        host = self.home.feeds_base.removeprefix("http://")
        for _, mode in self.looks(SIZES):
            self.assertTrue(link.is_displayed())
            self.assertEqual(self.find("[data-web-refused]").text,
                             f"{host} refuses to be shown inside another page.")
            self.assertFalse(self.find("[data-web-help]").is_displayed())
            box = self.rect(".site-card")
            self.assertTrue(box["y"] >= 0 and box["bottom"] <= self.script("return innerHeight"))
            self.no_overflow()
            self.shoot(f"web-refused-{mode}")
        self.go(self.home.feeds_base + "/site")
        self.wait("the refusal stays", lambda: not self.all(".site-card.is-loud"))

    def test_nothing_is_said_of_a_site_that_does_not_refuse_or_is_not_known(self):
        for url in (self.home.feeds_base + "/site", "http://127.0.0.1:1/"):
            self.open("/web?url=" + url)
            self.wait_for("[data-web-back]:not([hidden])")
            self.wait_checked()
            self.assertEqual(self.all(".site-card.is-loud"), [])
            self.assertFalse(self.find("[data-web-refused]").is_displayed())
            self.find("[data-web-help] summary").click()
            self.assertIn("refuse", self.find("[data-web-help] p").text)

    def test_the_page_is_honest_after_a_link_in_the_frame_was_followed(self):
        first = self.home.feeds_base + "/linking"
        host = self.home.feeds_base.removeprefix("http://")
        for sizes in (SIZES[:2], SIZES[2:]):
            self.set_size(sizes[0])
            self.open("/settings")
            self.script("sessionStorage.clear(); localStorage.clear()")
            # A link is known by the length of the history, which ends at 50 entries.
            self.browser.execute_cdp_cmd("Page.resetNavigationHistory", {})
            self.open("/web?url=" + first)
            self.wait("the site is not shown", lambda: self.framed() == first)
            self.assertFalse(self.find("[data-web-moved]").is_displayed())
            self.follow()
            self.wait("the page does not notice", lambda: self.find("[data-web-moved]").is_displayed())
            for _, mode in self.looks(sizes):
                self.assertTrue(self.find("[data-web-moved]").text.startswith(f"You followed a link in {host}."))
                self.assertEqual(self.find(".address").get_attribute("value"), "")
                self.assertFalse(self.find("[data-web-refresh]").is_enabled())
                self.assertFalse(self.find("[data-web-next]").is_enabled())
                self.assertEqual(self.find("[data-web-open]").text, f"Open {host} in a new tab")
                self.no_overflow()
                self.shoot(f"web-moved-{mode}")
            self.find("[data-web-back]").click()
            self.wait("Back does not return", lambda: not self.find("[data-web-moved]").is_displayed())
            self.assertEqual(self.framed(), first)
            self.assertEqual(self.find(".address").get_attribute("value"), first)
            self.wait("the first page is not shown", lambda: self.frame_text("h1") == "A link to follow")

    def frame_text(self, selector):
        self.browser.switch_to.frame(self.find(".site iframe"))
        try:
            found = self.all(selector)
            return found[0].text if found else None
        finally:
            self.browser.switch_to.default_content()

    def follow(self):
        self.wait("the first page is not shown", lambda: self.frame_text("h1") == "A link to follow")
        self.browser.switch_to.frame(self.find(".site iframe"))
        self.find("a").click()
        self.browser.switch_to.default_content()

    def test_only_http_urls_are_shown(self):
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


class HomePageTests(BrowserTest):
    """The home page of a feed's definition."""

    feeds = ("restaurants",)

    def framed(self):
        frame = self.all(".site iframe")
        return frame[0].get_attribute("src") if frame else None

    def test_the_home_page_of_a_feed_is_shown_until_a_person_sets_another(self):
        home, other = self.home.feeds_base + "/site?home", self.home.feeds_base + "/site?other"
        self.open("/web")
        self.wait("the home page is not shown", lambda: self.framed() == home)
        self.assertEqual(self.find("[data-web-set-home]").text, "Unset home page")
        self.shoot("web-home")
        self.find(".address").clear()
        self.find(".address").send_keys(other, Keys.ENTER)
        self.wait("the site is not shown", lambda: self.framed() == other)
        self.find("[data-web-home]").click()
        self.wait("the home page is not shown", lambda: self.framed() == home)
        self.find("[data-web-back]").click()
        self.find("[data-web-set-home]").click()
        self.script("sessionStorage.clear()")
        self.open("/web")
        self.wait("the person's home page is not shown", lambda: self.framed() == other)
        self.find("[data-web-set-home]").click()
        self.script("sessionStorage.clear()")
        self.open("/web")
        self.wait_for("[data-web-start]:not([hidden])")
        self.assertIsNone(self.framed())

    def test_without_scripts_the_home_page_is_a_link(self):
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.open("/web")
            self.find(".home-line a").click()
            self.wait("the home page is not shown", lambda: self.framed() == self.home.feeds_base + "/site?home")
            self.assertFalse(self.find("[data-web-moved]").is_displayed())
            self.assertTrue(self.find("[data-web-help]").is_displayed())
        finally:
            self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


if __name__ == "__main__":
    unittest.main()
