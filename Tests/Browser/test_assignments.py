"""The sentences of the five assignments that the page has to fulfil, one test each. These stand in other files:

  offers       tiles in two columns, reward, name      test_grid   the_grid_on_a_phone_has_the_designed_dimensions
               a set star on favorites only            test_grid   only_the_stars_of_favorites_are_set
  restaurants  pictures from edge to edge, category    test_feeds  restaurants_go_from_edge_to_edge
               two columns on tablets                  test_lists  restaurants_have_two_columns_on_tablets_…
               an icon at the right opens the map      test_map    the_icon_is_at_the_upper_right_of_the_list
  internets    Back, Next and Refresh                  test_web    back_next_refresh_and_a_home_page
               begins at a home page                   test_web    the_home_page_of_a_feed_is_shown_…
  movies       the next page at the end of the list    test_feeds  scrolling_down_adds_the_next_page_at_the_end
               an alert for every error, "Try again"   test_faults MovieErrorTests
  facts        no row is clipped                       test_feeds  facts_are_rows_of_their_own_height_…
               pulling refreshes this feed             test_refresh  pulling_down_refreshes_the_feed_of_the_page
  albums       the button 20 pixels from the edges     test_sheet  the_button_keeps_twenty_pixels_…
"""

import json
import unittest

from selenium.webdriver.common.keys import Keys

from home import DESKTOP, PHONE, BrowserTest

TABLET = (820, 1180)
SIZES = (PHONE, TABLET, (1180, 820), DESKTOP, (1920, 1080))


class OfferTests(BrowserTest):
    feeds = ("ibotta",)
    ref = "ibotta:900113"

    def setUp(self):
        self.set_size(PHONE)
        self.home.run("favorite", "--remove", self.ref)

    def test_the_detail_shows_picture_star_reward_name_description_and_terms(self):
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            self.open("/offers/" + self.ref)
            picture = self.find(".offer-picture img")
            self.wait("the picture is not loaded", lambda: self.script("return arguments[0].naturalWidth", picture) > 0)
            self.assertTrue(self.find(f"[data-star='{self.ref}']").is_displayed())
            text = self.find("main").text
            for part in ("$3.50", "Café Lumière® Ground Coffee", "Dark Roast or Decaf - 30 oz. canister",
                         "Does not combine with the 12 oz. bag offer on the same item."):
                self.assertIn(part, text)
            self.no_overflow()

    def test_a_star_of_the_detail_is_on_the_tile_after_back(self):
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.find(f".card[data-ref='{self.ref}'] .card-link").click()
        self.wait_for(".offer-text")
        self.wait_ready()
        for wanted in ("true", "false"):
            self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", self.ref)
            self.browser.back()
            self.wait("the tile does not follow", lambda: self.script(
                "return document.querySelector(`.card[data-ref='${arguments[0]}'] [data-star]`)"
                "?.getAttribute('aria-pressed')", self.ref) == wanted)
            self.wait("the star is not stored", lambda: self.home.favorites() == [self.ref] * (wanted == "true"))
            self.browser.forward()
            self.wait_for(".offer-text")
            self.wait_ready()


class AlbumTests(BrowserTest):
    feeds = ("albums",)

    def setUp(self):
        self.set_size(PHONE)

    def open_sheet(self):
        self.open("/feeds/albums")
        self.wait_ready()
        self.find(".covers .card-link").click()
        self.wait_for("dialog.sheet[open] .facts")
        self.wait("the transition does not end", lambda: self.script("return document.getAnimations().length === 0"))

    def test_albums_stand_as_a_table_on_phones_with_covers_of_64_pixels(self):
        self.open("/feeds/albums")
        self.wait_ready()
        cards = self.script("return [...document.querySelectorAll('.covers .card')].slice(0, 5).map((card) => {"
                            " const box = card.getBoundingClientRect(); return [box.x, box.y, box.width, box.height] })")
        self.assertEqual({each[0] for each in cards}, {12})
        self.assertEqual({each[2] for each in cards}, {351})
        self.assertLess(max(each[3] for each in cards), 110)
        picture = self.rect(".covers .picture")
        self.assertEqual((picture["width"], picture["height"]), (64, 64))
        sizes = self.script("return ['.name', '.artist'].map((part) => { const style ="
                            " getComputedStyle(document.querySelector(`.covers ${part}`));"
                            " return [style.fontSize, style.lineHeight] })")
        self.assertEqual(sizes[0], ["16px", "20px"])
        self.assertEqual(sizes[1][0], "14px")
        self.no_overflow()

    def test_the_lines_between_albums_begin_where_their_texts_do(self):
        self.open("/feeds/albums")
        line = self.script("const style = getComputedStyle(document.querySelector('.covers .card'), '::after');"
                           " return [style.left, style.height]")
        self.assertEqual(line, ["76px", "1px"])
        self.assertEqual(self.rect(".covers .name")["x"], 12 + 76)

    def test_albums_are_covers_from_700_pixels(self):
        for size in ((700, 900), TABLET, DESKTOP):
            self.set_size(size)
            self.open("/feeds/albums")
            self.assertGreater(self.script(
                "return getComputedStyle(document.querySelector('.covers')).gridTemplateColumns.split(' ').length"), 2)

    def test_the_list_has_all_albums_of_the_chart_in_its_order(self):
        chart = [each["name"] for each in self.home.feeds.document("albums")["feed"]["results"]]
        self.open("/feeds/albums")
        self.wait_ready()
        self.wait("albums are missing", lambda: self.script(
            "scrollTo(0, document.body.scrollHeight); return document.querySelectorAll('.covers .card').length")
            == len(chart))
        shown = self.script("return [...document.querySelectorAll('.covers .name')].map((each) => each.textContent)")
        self.assertEqual(shown, chart)

    def test_the_sheet_shows_name_artist_genre_date_and_copyright(self):
        self.open_sheet()
        text = self.find(".sheet").text
        for part in ("Harbour Lights & Other Songs", "Marlow Finch", "Singer/Songwriter", "4 October 2024", "Copyright ©"):
            self.assertIn(part, text)

    def test_the_button_opens_the_album_at_its_shop(self):
        self.open_sheet()
        self.assertRegex(self.find(".sheet .open").get_attribute("href"), r"^https://music\.apple\.com/us/album/")

    def test_the_sheet_asks_for_the_picture_in_600_pixels(self):
        self.open_sheet()
        image = self.find(".sheet .picture img")
        self.assertIn("size=600", image.get_attribute("src"))
        self.wait("the picture is not large", lambda: self.script("return arguments[0].naturalWidth", image) == 600)

    def test_the_sheet_is_as_high_as_its_content_and_at_most_480_wide(self):
        # From 1440 pixels on, an offer opens beside its list.
        for size in (each for each in SIZES if each[0] < 1440):
            self.set_size(size)
            self.open_sheet()
            sheet, body = self.rect(".sheet"), self.rect(".sheet-body")
            self.assertLessEqual(sheet["width"], 480)
            self.assertLess(abs(sheet["height"] - body["height"]), 2)
            if size[0] < 700:
                self.assertEqual(sheet["bottom"], size[1])
            self.assertLessEqual(sheet["height"], size[1] - 32)
        self.set_size((1400, 1400))
        self.open_sheet()
        self.assertLess(self.rect(".sheet")["height"], 1400 - 64)

    def test_the_sheet_has_a_grabber_and_centred_texts(self):
        self.open_sheet()
        self.assertTrue(self.find(".sheet .grabber").is_displayed())
        sheet, grabber = self.rect(".sheet"), self.rect(".sheet .grabber")
        self.assertAlmostEqual(grabber["x"] + grabber["width"] / 2, sheet["x"] + sheet["width"] / 2, delta=1)
        self.assertEqual(self.script("return getComputedStyle(document.querySelector('.sheet h1')).textAlign"), "center")


class RestaurantTests(BrowserTest):
    feeds = ("restaurants",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.stop()
        cls.home.serve_arguments = ["--map-tiles", cls.home.feeds_base + "/tiles/{z}/{x}/{y}.png"]
        cls.home.start()
        cls.place = "/offers/" + json.loads(cls.home.run("list", "--feed", "restaurants", "--json"))["offers"][0]["ref"]

    def test_the_map_is_at_the_top_edge_to_edge_at_street_zoom(self):
        self.set_size(PHONE)
        self.home.feeds.tiles.clear()
        self.open(self.place)
        self.wait_for("[data-small-map][data-ready]")
        self.wait("no tile is shown", lambda: self.all(".small-map img.leaflet-tile-loaded"))
        box, bar = self.rect(".small-map"), self.rect(".bar")
        self.assertEqual((box["x"], box["width"]), (0, 375))
        self.assertAlmostEqual(box["y"], bar["bottom"], delta=1)
        self.assertGreaterEqual({int(path.split("/")[2]) for path, _ in self.home.feeds.tiles}.pop(), 16)
        self.shoot("place-streets")

    def test_a_band_with_name_and_category_is_under_the_map(self):
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            self.open(self.place)
            self.wait_for("[data-small-map][data-ready]")
            box, band = self.rect(".small-map"), self.rect(".place-band")
            self.assertAlmostEqual(band["y"], box["bottom"], delta=1)
            self.assertEqual(band["width"], box["width"])
            self.assertEqual(self.find(".place-band h1").text, "The Copper Ladle")
            self.assertEqual(self.find(".place-band p").text, "Soups")

    def test_address_phone_and_twitter_follow_as_lines_and_links(self):
        self.set_size(PHONE)
        self.open(self.place)
        lines = [each.text for each in self.all(".address-line")]
        self.assertGreaterEqual(len(lines), 2)
        places = [self.rect(".place-band")["y"]] + [each.location["y"] for each in self.all(".contact > *")]
        self.assertEqual(places, sorted(places))
        links = [each.get_attribute("href") for each in self.all(".contact a")]
        self.assertTrue(links[0].startswith("tel:"), links)
        self.assertTrue(links[1].startswith("https://twitter.com/"), links)

    def test_without_tiles_a_card_says_what_is_known(self):
        self.home.stop()
        arguments, self.home.serve_arguments = self.home.serve_arguments, []
        self.home.start()
        try:
            for size in (PHONE, DESKTOP):
                self.set_size(size)
                self.open(self.place)
                self.wait_for("[data-near] li")
                near = [each.text for each in self.all("[data-near] li")]
                self.assertEqual(len(near), 3)
                for each in near:
                    self.assertRegex(each, r"(m|km) (north|south|east|west)")
                link = self.find(".place-card .button")
                self.assertEqual(link.text, "Open in maps")
                self.wait_for("[data-small-map][data-ready]")
                self.assertRegex(self.find(".leaflet-control-scale-line").text, r"^[1-5]00 m$")
                self.assertEqual(len(self.all(".small-map .near")), 3)
                self.no_overflow(str(size))
                self.shoot("place-card")
        finally:
            self.home.stop()
            self.home.serve_arguments = arguments
            self.home.start()

    def test_the_map_of_all_opens_at_the_extent_of_its_pins(self):
        for size in (PHONE, TABLET, DESKTOP):
            self.set_size(size)
            self.open("/feeds/restaurants?view=map")
            self.wait_for("[data-map][data-ready]")
            box = self.rect("[data-map]")
            pins = self.script("return [...document.querySelectorAll('[data-map] .pin')].map((pin) => {"
                               " const {x, y, width, height} = pin.getBoundingClientRect(); return [x + width / 2, y + height / 2] })")
            across, down = [[each[axis] for each in pins] for axis in (0, 1)]
            self.assertTrue(box["x"] <= min(across) and max(across) <= box["right"], pins)
            self.assertTrue(box["y"] <= min(down) and max(down) <= box["bottom"], pins)
            spread = max((max(across) - min(across)) / box["width"], (max(down) - min(down)) / box["height"])
            self.assertGreater(spread, 0.35, (size, pins))


class MovieTests(BrowserTest):
    feeds = ("movies",)

    def setUp(self):
        self.set_size(PHONE)

    def submit(self, words):
        field = self.find(".searchbox [name=q]")
        field.clear()
        field.send_keys(words, Keys.ENTER)
        self.wait("the search does not start", lambda: f"q={words}" in self.browser.current_url)
        self.wait_ready()

    def suggested(self):
        self.find(".searchbox [name=q]").click()
        self.wait_for(".searchbox .suggestions:not([hidden]) [role=option]")
        return [each.text for each in self.all(".searchbox [role=option]")]

    def test_a_search_lists_poster_name_date_and_whole_overview(self):
        self.open("/feeds/movies")
        self.wait_ready()
        self.submit("orbital")
        card = self.find(".results .card")
        movie = next(each for each in self.home.feeds.sample("movies")["results"] if each["title"] == "Orbital Debt")
        for part in (movie["title"], movie["overview"], "21 February 2025"):
            self.assertIn(part, card.text)
        image = card.find_element("css selector", ".picture img")
        self.wait("the poster is not loaded", lambda: self.script("return arguments[0].naturalWidth", image) > 0)
        self.assertEqual(self.script(
            "return [...document.querySelectorAll('.results .description')].filter((each) =>"
            " each.scrollHeight > each.clientHeight + 1).length"), 0)

    def test_the_box_suggests_the_last_ten_successful_searches_also_after_a_restart(self):
        words = ("ferryman", "quiet", "lantern", "the", "map", "last", "harbor", "night", "alarm", "street", "orbital")
        for each in words:
            self.get(f"/search?feed=movies&q={each}")
        self.open("/feeds/movies")
        self.wait_ready()
        self.submit("nothinghasthis")
        self.home.stop()
        self.home.start()
        self.open("/feeds/movies")
        self.wait_ready()
        self.assertEqual(self.suggested(), list(reversed(words))[:10])
        self.all(".searchbox [role=option]")[2].click()
        self.wait("the search does not start", lambda: "q=alarm" in self.browser.current_url)
        self.wait_ready()
        self.assertEqual(self.suggested()[0], "alarm")


class FactTests(BrowserTest):
    feeds = ("ibotta", "facts")

    def test_each_row_has_its_own_height_at_every_width(self):
        for size in SIZES:
            self.set_size(size)
            self.open("/feeds/facts")
            rows = self.script("return [...document.querySelectorAll('.rows .card')].map((card) => {"
                               " card.style.contentVisibility = 'visible'; const box = card.getBoundingClientRect();"
                               " return [box.top, box.height, card.querySelector('.card-link').offsetHeight] })")
            self.assertEqual(len({top for top, _, _ in rows}), len(rows), "rows are beside each other")
            # The padding of a row and the line below it.
            self.assertEqual({round(height - content) for _, height, content in rows}, {33})

    def test_pictures_are_fetched_when_they_come_near_the_screen(self):
        self.set_size(PHONE)
        self.open("/feeds/facts")
        self.wait_ready()
        self.wait("no picture is fetched", lambda: self.fetched() > 0)
        whole = len(self.all(".rows .picture img"))
        self.assertLess(self.fetched(), whole)
        self.script("for (let place = 0; place < document.body.scrollHeight; place += 300)"
                    " setTimeout(() => scrollTo(0, place), place / 5)")
        self.wait("the rest is not fetched", lambda: not self.all(".rows [data-late]"))

    def fetched(self):
        return self.script("return performance.getEntriesByType('resource')"
                           ".filter(({name}) => name.includes('/api/v1/images/')).length")

    def test_without_scripts_the_pictures_are_shown(self):
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setScriptExecutionDisabled", {"value": False})
        self.open("/feeds/facts")
        self.assertTrue(self.find(".rows noscript img").get_attribute("src"))

    def test_the_title_of_the_feed_is_in_the_bar_from_the_start(self):
        for size in SIZES:
            self.set_size(size)
            self.open("/feeds/facts")
            # On a phone the heading itself is the bar.
            title = ".head h1" if size[0] < 900 else ".bar-title"
            self.assertEqual(self.find(title).text, "About the Northern Isles")
            self.assertLessEqual(self.rect(title)["bottom"], self.rect(".bar")["bottom"])

    def test_the_button_refreshes_this_feed(self):
        self.set_size(PHONE)
        self.open("/feeds/facts")
        self.wait_ready()
        self.find(".bar-refresh button").click()
        self.wait("the refresh does not end", lambda: any("Refreshed" in each.text for each in self.all(".toast")))
        self.assertEqual([each["feed"] for each in json.loads(self.get("/api/v1/sync"))["feeds"]], ["facts"])


class WebTabTests(BrowserTest):
    feeds = ("ibotta",)

    def frame_text(self):
        self.browser.switch_to.frame(self.find(".site iframe"))
        try:
            return self.find("h1").text if self.all("h1") else None
        finally:
            self.browser.switch_to.default_content()

    def wait_frame(self, text):
        self.wait(f"the frame does not show {text}", lambda: self.frame_text() == text)

    def follow(self):
        self.browser.switch_to.frame(self.find(".site iframe"))
        self.find("a").click()
        self.browser.switch_to.default_content()

    def test_back_and_next_step_through_the_links_followed_inside_the_frame(self):
        first = self.home.feeds_base + "/chain"
        self.set_size(PHONE)
        self.open("/settings")
        self.script("sessionStorage.clear(); localStorage.clear()")
        # A link is known by the length of the history, which ends at 50 entries.
        self.browser.execute_cdp_cmd("Page.resetNavigationHistory", {})
        self.open("/web?url=" + first)
        self.wait_frame("Page 1")
        self.follow()
        self.wait_frame("Page 2")
        self.wait("the page does not notice", lambda: self.find("[data-web-moved]").is_displayed())
        self.follow()
        self.wait_frame("Page 3")
        self.wait("the page does not notice", lambda: "the page before" in self.find("[data-web-moved]").text)
        self.assertIn("nor load it again", self.find("[data-web-moved]").text)
        self.assertFalse(self.find("[data-web-refresh]").is_enabled())
        self.find("[data-web-back]").click()
        self.wait_frame("Page 2")
        self.wait("Next is off", lambda: self.find("[data-web-next]").is_enabled())
        self.find("[data-web-next]").click()
        self.wait_frame("Page 3")
        for page in ("Page 2", "Page 1"):
            self.wait("a step has not ended", lambda: self.find("[data-web-back]").is_enabled())
            self.find("[data-web-back]").click()
            self.wait_frame(page)
        self.wait("the address is not shown", lambda: self.find(".address").get_attribute("value") == first)
        self.assertFalse(self.find("[data-web-moved]").is_displayed())
        self.assertTrue(self.find("[data-web-refresh]").is_enabled())
        self.find("[data-web-next]").click()
        self.wait_frame("Page 2")


if __name__ == "__main__":
    unittest.main()
