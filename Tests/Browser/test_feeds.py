"""The layouts of feeds, and searches."""

from selenium.webdriver.common.keys import Keys

from home import DESKTOP, PHONE, BrowserTest


class FeedTests(BrowserTest):
    def setUp(self):
        self.home.feeds.movies_fail = False

    def test_facts_are_rows_of_their_own_height_and_none_is_clipped(self):
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            self.open("/feeds/facts")
            self.assertEqual(self.find("h1").text, "About the Northern Isles")
            # The browser does not lay out rows outside of the viewport (content-visibility).
            self.script("for (const each of document.querySelectorAll('.rows .card'))"
                        " each.style.contentVisibility = 'visible'")
            heights = self.script(
                "return [...document.querySelectorAll('.rows .card')].map((each) => each.offsetHeight)")
            if size == PHONE:
                self.assertGreater(len(set(heights)), 3)
            clipped = self.script(
                "return [...document.querySelectorAll('.rows .name, .rows .description')].filter((each) =>"
                " each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1)"
                ".map((each) => each.textContent)")
            self.assertEqual(clipped, [])
            self.no_overflow()

    def test_restaurants_go_from_edge_to_edge(self):
        self.set_size(PHONE)
        self.open("/feeds/restaurants")
        box = self.rect(".tiles .card")
        self.assertEqual((box["x"], box["width"]), (0, 375))
        self.assertEqual(self.find(".tiles .category").text, "Soups")

    def test_the_search_box_lists_the_recent_searches_on_focus(self):
        self.set_size(PHONE)
        for words in ("ferryman", "quiet", "lantern", "the", "a", "map", "last", "harbor", "night", "alarm", "street"):
            self.get(f"/search?feed=movies&q={words}")
        self.open("/feeds/movies")
        field = self.find(".searchbox [name=q]")
        field.click()
        self.wait_for(".searchbox .suggestions:not([hidden]) [role=option]")
        words = [each.text for each in self.all(".searchbox [role=option]")]
        self.assertEqual(len(words), 10)
        self.assertEqual(words[0], "street")
        self.assertNotIn("ferryman", words)
        field.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertEqual(self.find(".searchbox [aria-selected=true]").text, "alarm")
        self.assertEqual(field.get_attribute("aria-activedescendant"),
                         self.find(".searchbox [aria-selected=true]").get_attribute("id"))
        field.send_keys(Keys.ENTER)
        self.wait("the search does not start", lambda: "q=alarm" in self.browser.current_url and "feed=movies" in self.browser.current_url)
        self.assertIn("Alarm", self.find(".results .name").text)

    def test_scrolling_down_adds_the_next_page_at_the_end(self):
        self.set_size(PHONE)
        self.open("/search?feed=movies&q=quiet")
        self.assertEqual(len(self.all(".results .card")), 20)
        self.script("document.querySelector('[data-more]').scrollIntoView()")
        self.wait("nothing more came", lambda: len(self.all(".results .card")) > 20)
        refs = [each.get_attribute("data-ref") for each in self.all(".results .card")]
        self.assertEqual(len(refs), len(set(refs)))

    def test_an_alert_shows_why_the_next_page_could_not_be_loaded(self):
        self.set_size(PHONE)
        self.open("/search?feed=movies&q=quiet")
        self.wait_ready()
        self.home.stop()
        try:
            self.script("document.querySelector('[data-more]').click()")
            self.wait_for("dialog[open]")
            self.assertIn("cannot be reached", self.find("dialog").text)
            self.find("[data-alert-close]").click()
            self.wait("the alert stays", lambda: not self.all("dialog[open]"))
        finally:
            self.home.start()
        self.script("document.querySelector('[data-more]').click()")
        self.wait("nothing more came", lambda: len(self.all(".results .card")) > 20)
