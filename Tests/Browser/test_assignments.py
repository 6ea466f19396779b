"""The layouts of the five shipped feeds, and the links that are followed inside a frame."""

import json
import socket
import time

from home import DESKTOP, PHONE, BrowserTest

TABLET = (820, 1180)
SIZES = (PHONE, TABLET, (1180, 820), DESKTOP, (1920, 1080))


class OfferTests(BrowserTest):
    feeds = ("ibotta",)
    ref = "ibotta:900113"

    def setUp(self):
        self.set_size(PHONE)
        self.home.run("favorite", "--remove", self.ref)

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
        self.wait_still()

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

    def test_albums_are_covers_from_700_pixels(self):
        for size in ((700, 900), TABLET, DESKTOP):
            self.set_size(size)
            self.open("/feeds/albums")
            self.assertGreater(self.script(
                "return getComputedStyle(document.querySelector('.covers')).gridTemplateColumns.split(' ').length"), 2)

    def test_the_sheet_asks_for_the_picture_in_600_pixels(self):
        self.open_sheet()
        image = self.find(".sheet .picture img")
        self.wait("the picture is not large", lambda: self.script("return arguments[0].naturalWidth", image) == 600)

    def test_the_sheet_is_as_high_as_its_content_and_at_most_480_wide(self):
        # From 1440 pixels on, an offer opens beside its list.
        for size in (each for each in SIZES if each[0] < 1440):
            self.set_size(size)
            self.open_sheet()
            if size[0] < 700:
                self.wait("the sheet is not at the bottom", lambda: self.rect(".sheet")["bottom"] == size[1])
            sheet, body = self.rect(".sheet"), self.rect(".sheet-body")
            self.assertLessEqual(sheet["width"], 480)
            self.assertLess(abs(sheet["height"] - body["height"]), 2)
            self.assertLessEqual(sheet["height"], size[1] - 32)
        self.set_size((1400, 1400))
        self.open_sheet()
        self.assertLess(self.rect(".sheet")["height"], 1400 - 64)


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
        self.find(".streets").click()
        self.addCleanup(self.script, "localStorage.clear()")
        self.browser.refresh()
        self.wait_for("[data-small-map][data-ready]")
        self.wait("no tile is shown", lambda: self.all(".small-map img.leaflet-tile-loaded"))
        box, bar = self.rect(".small-map"), self.rect(".bar")
        self.assertEqual((box["x"], box["width"]), (0, 375))
        self.assertAlmostEqual(box["y"], bar["bottom"], delta=1)
        self.assertGreaterEqual({int(path.split("/")[2]) for path, _ in self.home.feeds.tiles}.pop(), 16)

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
                # The coordinates stand once, and lead to the maps of the device.
                text = self.find("main").text
                self.assertEqual(text.count("° N"), 1)
                self.assertNotIn("Open in maps", text)
                self.wait_for("[data-small-map][data-ready]")
                self.assertRegex(self.find(".leaflet-control-scale-line").text, r"^[1-5]00 m$")
                self.assertEqual(len(self.all(".small-map .is-near")), 3)
                self.no_overflow(str(size))
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


class DetailTests(BrowserTest):
    """An offer on a page of its own."""

    feeds = ("ibotta", "albums", "movies", "facts")
    LONG = "Nobody had told the lamp keeper that the harbor was closed for the winter, so the lamp was lit. " * 4

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.refs = {feed: json.loads(cls.home.run("list", "--feed", feed, "--json"))["offers"][0]["ref"] for feed in cls.feeds}

    def show(self, feed, size):
        self.set_size(size)
        self.open("/offers/" + self.refs[feed])
        self.wait_ready()

    def wait_ratio(self):
        self.wait("the picture has another ratio", lambda: self.script(
            "const image = document.querySelector('.picture img'), {width, height} = image.getBoundingClientRect();"
            "return image.complete && Math.abs(width / height - image.naturalWidth / image.naturalHeight) < .02"))

    def test_on_a_desktop_picture_text_and_button_are_one_composition(self):
        for size in ((1180, 820), (1440, 900), (1920, 1080)):
            for feed in ("albums", "movies"):
                with self.subTest(size=size, feed=feed):
                    self.show(feed, size)
                    self.wait_ratio()
                    picture, text, button = map(self.rect, (".offer-picture", ".offer-text", ".open-bar .button"))
                    self.assertLessEqual(picture["bottom"], size[1])
                    self.assertGreaterEqual(text["x"], picture["right"] + 24)
                    self.assertEqual((button["x"], button["width"]), (text["x"], text["width"]))

    def test_a_line_of_text_has_at_most_65_characters(self):
        for feed, part in (("movies", ".detail"), ("ibotta", ".terms p")):
            for size in ((1180, 820), (1440, 900), (1920, 1080)):
                self.show(feed, size)
                lines = self.script("""
                  const part = document.querySelector(arguments[0]), range = document.createRange();
                  part.textContent = arguments[1];
                  const lines = {};
                  for (let place = 0; place < part.firstChild.length; place += 1) {
                    range.setStart(part.firstChild, place); range.setEnd(part.firstChild, place + 1);
                    const {top} = range.getBoundingClientRect();
                    lines[top] = (lines[top] ?? 0) + 1;
                  }
                  return Object.values(lines)""", part, self.LONG)
                self.assertLessEqual(max(lines), 66)  # with the space at the end of a line
                self.assertGreater(max(lines), 45)

    def test_nothing_is_said_twice(self):
        self.show("albums", DESKTOP)
        labels = [each.text for each in self.all(".offer-text > .facts:not(.about) dt")]
        self.assertEqual(labels, ["Genre", "Released", "Copyright"])
        self.assertTrue(self.find(".offer-text > .facts dl").text.split("Copyright\n")[1].startswith("©"))
        self.assertEqual([each.text for each in self.all(".facts dd a")][:2], ["Singer/Songwriter", "Music"])
        self.show("movies", DESKTOP)
        labels = [each.text for each in self.all(".offer-text > .facts:not(.about) dt")]
        self.assertEqual(labels, ["Rating", "Votes", "Language"])

    def test_a_long_name_is_whole_on_its_own_page(self):
        for feed in ("ibotta", "movies"):
            self.show(feed, PHONE)
            self.assertTrue(self.script(
                "const name = document.querySelector('.subtitle') ?? document.querySelector('.offer h1');"
                "name.textContent = arguments[0]; return name.scrollHeight <= name.clientHeight + 2", self.LONG))

    def test_the_bar_of_a_phone_names_the_value_or_the_offer_once_it_is_scrolled(self):
        for feed, start in (("ibotta", "$"), ("facts", "")):
            self.show(feed, PHONE)
            self.assertFalse(self.find(".bar-title").is_displayed())
            self.script("document.body.style.minHeight = '2000px'; scrollTo(0, 300)")
            self.wait("the bar names nothing", lambda: self.find(".bar-title").is_displayed())
            title = self.find(".bar-title").text
            self.assertTrue(title.startswith(start) and self.script("return document.title").startswith(title))
            self.assertTrue(self.find(".back").is_displayed())
            self.assertGreater(self.rect(".bar-title")["width"], 60)
            self.no_overflow()

    def test_on_its_side_a_phone_shows_the_picture_beside_the_text(self):
        for size in ((844, 390), (667, 375)):
            self.show("movies", size)
            self.wait_ratio()
            self.assertGreater(self.rect(".offer-text")["x"], self.rect(".offer-picture")["right"])
            self.open("/feeds/albums")
            self.wait_ready()
            self.press(".covers .card-link")
            self.wait_for("dialog.sheet[open] .facts")
            self.wait_still()
            sheet, title, button = map(self.rect, (".sheet", ".sheet h1", ".sheet .open-bar .button"))
            self.assertGreater(title["x"], self.rect(".sheet .offer-picture")["right"])
            self.assertLess(title["bottom"], button["y"])
            edges = button["x"] - sheet["x"], sheet["right"] - button["right"], sheet["bottom"] - button["bottom"]
            self.assertEqual([round(each) for each in edges], [20, 20, 20])


class FactTests(BrowserTest):
    feeds = ("ibotta", "facts")

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
        self.visit_site(first)
        self.wait_frame("Page 1")
        self.follow()
        self.wait_frame("Page 2")
        self.wait("the page does not notice", lambda: self.find("[data-web-moved]").is_displayed())
        self.follow()
        self.wait_frame("Page 3")
        self.wait("the page does not notice", lambda: "the page before" in self.find("[data-web-moved]").text)
        self.assertIn("Refresh loads the address above", self.find("[data-web-moved]").text)
        self.assertEqual(self.find(".address").get_attribute("value"), first)
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

    def test_refresh_loads_what_is_shown_or_the_last_address_known_and_says_which(self):
        first = self.home.feeds_base + "/chain"
        self.open("/settings")
        self.script("sessionStorage.clear(); localStorage.clear()")
        self.visit_site(first)
        self.wait_frame("Page 1")
        self.find("[data-web-refresh]").click()
        self.wait("nothing is said", lambda: self.find("[data-web-moved]").text == "Loaded again: " + first)
        self.wait_frame("Page 1")
        self.follow()
        self.wait("the page does not notice", lambda: "You followed" in self.find("[data-web-moved]").text)
        self.find("[data-web-refresh]").click()
        self.wait("nothing is said", lambda: "the last address known" in self.find("[data-web-moved]").text)
        self.wait_frame("Page 1")

    def test_a_site_that_does_not_answer_gets_a_message_within_five_seconds(self):
        # One of them refuses connections, the other accepts them and says nothing.
        with socket.socket() as silent, socket.socket() as closed:
            for each in (silent, closed):
                each.bind(("127.0.0.1", 0))
            silent.listen()
            ports = closed.getsockname()[1], silent.getsockname()[1]
            for port, words in zip(ports, ("does not answer", "answer")):
                start = time.monotonic()
                self.open(f"/web?url=http://127.0.0.1:{port}/")
                self.wait("nothing is said", lambda: words in self.find("[data-web-refused]").text, 6)
                self.assertLess(time.monotonic() - start, 6)
            self.wait("the frame stays", lambda: not self.all(".site iframe"))
            self.assertTrue(self.find("[data-web-refresh]").is_enabled())
