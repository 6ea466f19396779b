"""The settings: adding a feed by its address, and the advice about one's data."""

from selenium.webdriver.common.keys import Keys

from home import DESKTOP, PHONE, BrowserTest

TABLET = (820, 1180)
WIDE = (1180, 820)


class AddFeedTests(BrowserTest):
    feeds = ("ibotta", "facts")

    def setUp(self):
        self.shop = self.home.feeds_base + "/shop"
        self.home.feeds.shop_answers.set()
        self.set_size(PHONE)

    def tearDown(self):
        for feed in ("the-tea-shop", "leaves"):
            try:
                self.home.run("feeds", "remove", feed)
            except AssertionError:
                pass  # The test has not added it.

    def look(self, address):
        field = self.wait_for("#feed-address")
        field.clear()
        field.send_keys(address, Keys.ENTER)

    def press(self, selector):
        """Clicks an element in the middle of the window, where no bar covers it."""
        element = self.wait_for(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def focused(self):
        return self.script("const at = document.activeElement;"
                           " return at.id || at.name || at.dataset.feed || at.textContent.trim()")

    def test_a_feed_is_looked_at_and_added_within_the_settings(self):
        self.open("/settings/feeds")
        self.wait_ready()
        self.look(self.shop + "/list.json")
        self.wait_for("[data-proposal]")
        self.assertTrue(self.browser.current_url.endswith("/settings/feeds"))
        self.assertEqual(self.focused(), "The Tea Shop")
        text = self.find("[data-proposal]").text
        for part in ("8 offers", "JSON", "Green Tea", "$1.50 Cash Back"):
            self.assertIn(part, text)
        self.wait("no picture is shown", lambda: self.script(
            "return [...document.querySelectorAll('.preview img')].some((each) => each.naturalWidth > 0)"))
        self.assertEqual(len(self.all(".preview")), 6)
        self.assertNotIn("the-tea-shop", self.home.run("feeds"))
        name = self.find("[data-proposal] [name=name]")
        self.assertEqual(name.get_attribute("value"), "the-tea-shop")
        name.clear()
        name.send_keys("ibotta")
        self.press("[data-proposal] .button.primary")
        self.wait("no alert is shown", lambda: [
            each for each in self.all("[data-add-feed] [role=alert]") if "already a feed ibotta" in each.text])
        self.assertEqual(self.focused(), "name")
        name = self.find("[data-proposal] [name=name]")
        name.clear()
        name.send_keys("leaves", Keys.ENTER)
        self.wait_for('[data-feed="leaves"]')
        self.wait("the new feed has not the focus", lambda: self.focused() in ("leaves", "The Tea Shop"))
        self.wait("the first refresh brings no offers", lambda: "8 offers" in self.find('[data-feed="leaves"]').text)
        self.assertFalse(self.all("[data-proposal]"))
        self.assertIn("Oolong", self.home.run("list", "--feed", "leaves"))
        self.assertIn("public-only: true", self.home.run("feeds", "show", "leaves"))

    def test_without_scripts_the_same_is_done_by_pages(self):
        self.without_scripts()
        self.open("/settings/feeds")
        self.look(self.shop + "/list.json")
        self.wait_for("body.page-adding [data-proposal]")
        self.press("[data-add-back]")
        self.wait_for("body.page-adding #feed-address")
        self.look(self.shop + "/page.html")
        self.assertIn("web page", self.wait_for("[role=alert]").text)
        self.look(self.shop + "/list.json")
        self.press("[data-proposal] .button.primary")
        self.wait("the page of the feed does not follow", lambda: self.browser.current_url.endswith("/feeds/the-tea-shop"))

    def test_back_returns_to_the_address(self):
        self.open("/settings/feeds")
        self.wait_ready()
        self.look(self.shop + "/list.json")
        self.press("[data-add-back]")
        self.assertEqual(self.focused(), "feed-address")
        self.assertEqual(self.find("#feed-address").get_attribute("value"), self.shop + "/list.json")

    def test_an_error_stands_beside_the_address_and_is_announced(self):
        self.open("/settings/feeds")
        self.wait_ready()
        for address, words in (
            (self.shop + "/page.html", "web page"), ("/etc/passwd", "not an http"),
            ("http://127.0.0.1:9/", "127.0.0.1:9"),
        ):
            self.look(address)
            self.wait(f"no alert about {address}", lambda: any(
                words in each.text for each in self.all("[data-add-feed] [role=alert]")))
            self.assertEqual(self.focused(), "feed-address")
            self.assertEqual(self.find("#feed-address").get_attribute("aria-invalid"), "true")
            self.assertEqual(self.find("#feed-address").get_attribute("value"), address)
            self.no_overflow(address)

    def test_a_slow_feed_shows_progress_and_can_be_cancelled(self):
        self.open("/settings/feeds")
        self.wait_ready()
        self.home.feeds.shop_answers.clear()
        self.home.feeds.shop_dropped.clear()
        self.look(self.shop + "/slow.json")
        self.wait("no progress is shown", lambda: self.find("[data-add-progress]").is_displayed())
        # The typed and the shown text survive a change of the page.
        self.home.run("favorite", "ibotta:900117")
        self.press("[data-add-cancel]")
        self.wait("the progress stays", lambda: not self.find("[data-add-progress]").is_displayed())
        self.assertEqual(self.focused(), "feed-address")
        self.assertTrue(self.home.feeds.shop_dropped.wait(15), "the server reads on")
        self.look(self.shop + "/list.json")
        self.wait_for("[data-proposal]")

    def test_the_section_looks_well_at_every_width_and_in_both_themes(self):
        sizes = (PHONE, TABLET, WIDE, DESKTOP)
        self.open("/settings/feeds")
        self.wait_ready()
        for _ in self.looks(sizes):
            self.no_overflow("the settings")
        self.look(self.shop + "/list.json")
        self.wait_for("[data-proposal]")
        self.wait("the pictures are not loaded", lambda: self.script(
            "return [...document.querySelectorAll('.preview img')].every((each) => each.complete)"))
        self.press(".guess summary")
        for _ in self.looks(sizes):
            self.no_overflow("a proposal")
            small = self.script(
                "return [...document.querySelectorAll('.add-feed a, .add-feed button, .add-feed input')]"
                ".filter((each) => each.offsetHeight > 0 && each.offsetHeight < 44).map((each) => each.outerHTML)")
            self.assertEqual(small, [])


class SettingsTests(BrowserTest):
    feeds = ("ibotta",)

    def test_the_settings_are_rows_that_open_pages_with_a_way_back(self):
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            self.open("/settings")
            self.wait_ready()
            self.assertEqual(
                [each.text for each in self.all(".setting-rows b")],
                ["Feeds", "Hidden", "People", "This browser", "About", "Notices and watches", "Web"])
            self.assertIn("1 feed", self.find(".setting-rows").text)
            for title in ("Feeds", "This browser", "About"):
                row = next(each for each in self.all(".setting-rows a") if title in each.text)
                self.assertGreaterEqual(row.size["height"], 44)
                row.click()
                self.wait("the page does not open", lambda: self.find("h1").text == title)
                self.no_overflow(title)
                self.find("[data-back]").click()
                self.wait("there is no way back", lambda: self.find("h1").text == "Settings")
        self.assertIn("offers backup FILE", self.get("/settings/about"))

    def scheme(self):
        """The colors of the page, and of the browser's own bar."""
        return self.script(
            "const bars = [...document.querySelectorAll('meta[name=theme-color]')];"
            "return [getComputedStyle(document.body).colorScheme || getComputedStyle(document.documentElement).colorScheme,"
            " getComputedStyle(document.documentElement).backgroundColor,"
            " bars.filter(({media}) => !media || matchMedia(media).matches).length]")

    def test_a_theme_is_chosen_and_is_there_before_the_first_paint(self):
        self.set_size(PHONE)
        self.addCleanup(self.set_mode, "light")
        self.set_mode("light")
        self.open("/")
        light = self.scheme()[1]
        self.set_mode("dark")
        dark = self.scheme()[1]
        self.assertNotEqual(light, dark)
        for theme, color in (("light", light), ("dark", dark)):
            self.open("/settings/browser")
            self.wait_ready()
            self.wait_for("[data-themes]:not([hidden])")
            self.script("document.querySelector(`[name=theme][value='${arguments[0]}']`).click()", theme)
            for mode in ("light", "dark"):
                self.set_mode(mode)
                self.open("/")
                self.assertEqual(self.scheme()[1:], [color, 1], (theme, mode))
                # The script that sets it stands in the head and delays the first paint.
                self.assertTrue(self.script(
                    "const script = document.querySelector('head script[src*=\"/theme.js\"]');"
                    " return !script.async && !script.defer && script.type === ''"))
        # Another tab follows, and a page without the server has the theme as well.
        self.open("/settings/browser")
        self.wait_ready()
        self.wait_worker()
        one = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.addCleanup(self.home.start)
        try:
            self.set_size(PHONE)
            self.set_mode("light")
            self.open("/")
            self.assertEqual(self.scheme()[1], dark)
            self.home.stop()
            self.browser.refresh()
            self.assertEqual(self.scheme()[1], dark)
            self.browser.switch_to.window(one)
            self.script("document.querySelector(\"[name=theme][value='']\").click()")
            self.browser.switch_to.window([each for each in self.browser.window_handles if each != one][0])
            self.wait("the other tab does not follow", lambda: self.scheme()[1] == light)
        finally:
            self.browser.close()
            self.browser.switch_to.window(one)
            self.script("localStorage.removeItem('theme')")

    def test_recent_searches_are_removed_one_by_one(self):
        for words in ("coffee", "tea", "pasta"):
            self.home.run("search", words)
        self.set_size(PHONE)
        self.open("/search")
        self.wait_ready()
        self.assertEqual([each.text for each in self.all(".recent .words")], ["pasta", "tea", "coffee"])
        # They are not listed below the field as well.
        self.find(".searchbox [name=q]").click()
        self.assertEqual(self.all(".searchbox .suggestions, .searchbox datalist"), [])
        self.find("[aria-label='Remove from the list: tea']").click()
        self.wait("the search stays", lambda: [each.text for each in self.all(".recent .words")] == ["pasta", "coffee"])
        self.assertEqual(self.script("return document.activeElement.ariaLabel"), "Remove from the list: coffee")
        self.assertNotIn("tea", self.home.run("search"))
        self.without_scripts()
        self.open("/search")
        self.find("[aria-label='Remove from the list: pasta']").click()
        self.wait("the search stays", lambda: self.script(
            "return [...document.querySelectorAll('.recent .words')].map((each) => each.textContent.trim())") == ["coffee"])
