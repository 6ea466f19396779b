"""The layouts of feeds, and searches."""

import unittest

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
            self.shoot("facts")

    def test_restaurants_go_from_edge_to_edge(self):
        self.set_size(PHONE)
        self.open("/feeds/restaurants")
        box = self.rect(".tiles .card")
        self.assertEqual((box["x"], box["width"]), (0, 375))
        self.assertEqual(self.find(".tiles .category").text, "Soups")
        self.shoot("restaurants")

    def test_albums_show_artist_genre_date_and_copyright(self):
        self.set_size(PHONE)
        self.open("/feeds/albums")
        card = self.find(".covers .card").text
        for text in ("Harbour Lights & Other Songs", "Marlow Finch", "4 October 2024", "Singer/Songwriter"):
            self.assertIn(text, card)
        self.assertIn("Copyright ©", self.find(".shared-credit").text)
        self.shoot("albums")
        self.find(".covers .card-link").click()
        self.wait("the facts are not shown", lambda: any(each.text for each in self.all(".facts")))
        for text in ("Artist", "Marlow Finch", "Released", "Copyright"):
            self.assertIn(text, self.find(".facts").text)

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
        self.shoot("suggestions")
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
        self.shoot("load-more")
        self.script("document.querySelector('[data-more]').scrollIntoView()")
        self.wait("nothing more came", lambda: len(self.all(".results .card")) > 20)
        refs = [each.get_attribute("data-ref") for each in self.all(".results .card")]
        self.assertEqual(len(refs), len(set(refs)))

    def test_an_alert_shows_why_the_server_of_a_feed_could_not_be_searched(self):
        self.set_size(PHONE)
        self.open("/search?feed=movies&q=the")
        self.home.feeds.movies_fail = True
        self.open("/search?feed=movies&q=night")
        alert = self.wait_for("[role=alert]")
        self.assertIn("The server could not be searched", alert.text)
        alert.find_element("css selector", "summary").click()
        self.assertIn("503", alert.text)
        self.shoot("search-alert")

    def test_a_search_says_that_the_server_found_nothing_before_stored_offers(self):
        self.open("/search?feed=movies&q=seamstress")
        self.assertEqual(
            self.find(".corrected").text,
            "The server found nothing for “seamstress”. These are stored offers:")
        self.assertEqual(self.find("mark").text.lower(), "seamstress")

    def test_an_alert_shows_why_the_next_page_could_not_be_loaded(self):
        self.set_size(PHONE)
        self.open("/search?feed=movies&q=quiet")
        self.wait_ready()
        self.home.stop()
        try:
            self.script("document.querySelector('[data-more]').click()")
            self.wait_for("dialog[open]")
            self.assertIn("cannot be reached", self.find("dialog").text)
            self.shoot("alert")
            self.find("[data-alert-close]").click()
            self.wait("the alert stays", lambda: not self.all("dialog[open]"))
        finally:
            self.home.start()
        self.script("document.querySelector('[data-more]').click()")
        self.wait("nothing more came", lambda: len(self.all(".results .card")) > 20)

    def test_a_search_marks_words_and_proposes_the_probable_ones(self):
        self.set_size(PHONE)
        self.open("/search?q=cofee")
        self.assertIn("did you mean “coffee”?", self.find(".corrected").text)
        self.assertEqual(self.all("mark"), [])
        self.find(".corrected a").click()
        self.wait_for("mark")
        self.assertEqual(self.find("mark").text.lower(), "coffee")
        self.shoot("search")


if __name__ == "__main__":
    unittest.main()
