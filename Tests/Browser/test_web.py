"""The page that shows other sites."""

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
        for _ in self.looks(SIZES):
            self.assertTrue(link.is_displayed())
            self.assertEqual(self.find("[data-web-refused]").text,
                             f"{host} refuses to be shown inside another page.")
            self.assertFalse(self.find("[data-web-help]").is_displayed())
            box = self.rect(".site-card")
            self.assertTrue(box["y"] >= 0 and box["bottom"] <= self.script("return innerHeight"))
            self.no_overflow()
        self.go(self.home.feeds_base + "/site")
        self.wait("the refusal stays", lambda: not self.all(".site-card.is-loud"))

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

    def test_a_feed_and_its_site_are_a_pair(self):
        self.open("/settings")
        self.script("sessionStorage.clear(); localStorage.clear()")
        for size in SIZES:
            self.set_size(size)
            self.open("/feeds/restaurants")
            self.wait_ready()
            self.assertEqual([each.text for each in self.all(".pair a")], ["Restaurants", "Website"])
            self.assertNotIn("Web", [each.text for each in self.all(".tabs a")])
            self.find(".pair a:last-child").click()
            self.wait("the site is not shown", lambda: self.framed() == self.home.feeds_base + "/site?home")
            self.assertEqual(self.find(".pair [aria-current]").text, "Website")
            self.no_overflow()
            self.find(".pair a:first-child").click()
            self.wait("the list is not shown", lambda: self.all("main [data-list] .card"))
        self.check_looks("a feed with a site")

    def test_the_home_page_of_a_feed_is_shown_until_a_person_sets_another(self):
        home, other = self.home.feeds_base + "/site?home", self.home.feeds_base + "/site?other"
        self.open("/web")
        self.wait("the home page is not shown", lambda: self.framed() == home)
        self.assertEqual(self.find("[data-web-set-home]").text, "Unset home page")
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
