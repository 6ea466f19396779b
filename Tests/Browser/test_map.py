"""The map over the list of a feed, the small maps of places, and street tiles."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from home import DESKTOP, PHONE, BrowserTest

LIST = "/feeds/restaurants"
MAP = LIST + "?view=map"
TABLET, WIDE_TABLET = (820, 1180), (1180, 820)


class MapTests(BrowserTest):
    feeds = ("restaurants", "facts")

    def setUp(self):
        self.set_size(PHONE)
        self.set_mode("light")

    def address(self):
        return self.browser.current_url.removeprefix(self.home.base)

    def wait_closed(self):
        self.wait("the map stays open", lambda: not self.all("dialog[open]"))
        self.wait("the address is that of the map", lambda: self.address() == LIST)

    def pin_count(self):
        """The number of places that the pins and the clusters stand for."""
        return self.script(
            "return [...document.querySelectorAll('.map .leaflet-marker-icon .pin')].reduce((sum, pin) =>"
            " sum + (pin.matches('.is-cluster') ? Number(pin.firstChild.textContent) : 1), 0)")

    def open_map(self):
        self.open(LIST)
        self.wait_ready()
        self.find("[data-map-link]").click()
        self.wait_for("[data-map][data-ready]")

    def test_an_icon_opens_the_map_over_the_list_and_back_and_escape_close_it(self):
        self.open_map()
        self.assertEqual(self.address(), MAP)
        self.assertGreater(len(self.all("main .tiles .card")), 10)
        self.browser.back()
        self.wait_closed()
        self.browser.forward()
        self.wait_for("[data-map][data-ready]")
        self.assertEqual(self.address(), MAP)
        self.browser.back()
        self.wait_closed()
        self.find("[data-map-link]").click()
        self.wait_for("[data-map][data-ready]")
        ActionChains(self.browser).send_keys(Keys.ESCAPE).perform()
        self.wait_closed()
        self.assertEqual(self.script("return document.activeElement.hasAttribute('data-map-link')"), True)
        self.find("[data-map-link]").click()
        self.wait_for("[data-map][data-ready]")
        self.find("[data-close]").click()
        self.wait_closed()
        self.assertEqual(self.script("return getComputedStyle(document.documentElement).overflow"), "visible")

    def test_a_double_click_opens_one_map(self):
        self.open(LIST)
        self.wait_ready()
        # Until the script of the map has run, the link leads to another page.
        loaded = "performance.getEntriesByType('resource').find((each) => each.name.includes('/map.js'))?.name"
        self.wait("the script of the map is not loaded", lambda: self.script(f"return {loaded}"))
        self.browser.execute_async_script(f"import({loaded}).then(() => arguments[0]())")
        self.script("""
            window.answers = 0;
            const get = window.fetch;
            window.fetch = async (...asked) => {
              const answer = await get(...asked);
              if (String(asked[0]).endsWith("view=map")) setTimeout(() => { window.answers += 1; }, 200);
              return answer;
            };
            const link = document.querySelector("[data-map-link]");
            link.click();
            link.click();""")
        self.wait_for("[data-map][data-ready]")
        self.wait("the map is not fetched twice", lambda: self.script("return window.answers") == 2)
        self.assertEqual(len(self.all("dialog[open]")), 1)
        self.browser.back()
        self.wait_closed()

    def test_the_icon_is_at_the_upper_right_of_the_list(self):
        for size in (PHONE, TABLET, WIDE_TABLET, DESKTOP):
            self.set_size(size)
            self.open(LIST)
            icon, title = self.rect("[data-map-link]"), self.rect("h1")
            main = self.script("const m = document.querySelector('main'), s = getComputedStyle(m);"
                               " return m.getBoundingClientRect().right - parseFloat(s.paddingRight)")
            # Beside it stand the buttons that filter, and on phones those that search and refresh.
            self.assertLess(main - icon["right"], 124 if size[0] < 900 else 60)
            self.assertGreaterEqual(icon["x"], title["x"] + title["width"])
            self.assertLess(abs(icon["y"] + icon["height"] / 2 - title["y"] - title["height"] / 2), 10)
            self.assertGreaterEqual(min(icon["width"], icon["height"]), 44)

    def test_the_address_of_the_map_opens_it_and_leaves_for_the_list(self):
        self.open("/settings")
        self.open(MAP)
        self.wait_for("[data-map][data-ready]")
        self.browser.refresh()
        self.wait_for("[data-map][data-ready]")
        ActionChains(self.browser).send_keys(Keys.ESCAPE).perform()
        self.wait_closed()
        self.browser.back()
        self.wait("Back does not lead to the page before", lambda: self.address() == "/settings")

    def test_pins_that_overlap_are_clustered_and_the_list_leads_to_each(self):
        # The pins are in the same places in the dark.
        for mode, sizes in (("light", (PHONE, TABLET, WIDE_TABLET, DESKTOP)), ("dark", (PHONE,))):
            for size in sizes:
                self.set_size(size)
                self.set_mode(mode)
                self.open_map()
                places = self.all(".places li")
                self.assertGreater(len(places), 10)
                self.wait("a place has no pin", lambda: self.pin_count() == len(places))
                self.assertGreater(len(self.all(".pin.is-cluster")), 0)
                self.no_overflow()
                # No name of a state has its place in so small a part of the world.
                self.wait("the region is not named", lambda: [
                    each.text for each in self.all(".map-name span")] == ["Wisconsin"])
                boxes = self.script("return [...document.querySelectorAll('.map .leaflet-marker-icon .pin')]"
                                    ".map((pin) => pin.getBoundingClientRect()).map((r) => [r.x, r.y])")
                for index, (x, y) in enumerate(boxes):
                    for other_x, other_y in boxes[index + 1 :]:
                        self.assertTrue(abs(x - other_x) > 16 or abs(y - other_y) > 16)
                name = self.find(".places .name").text
                self.script("document.querySelector('.places .round').click()")
                # The popup fades in, and the text of an invisible element is empty.
                self.wait("the popup is not shown", lambda: [
                    each.text for each in self.all(".leaflet-popup-content strong")] == [name])
                link = self.find(".leaflet-popup-content a").get_attribute("href")
                self.assertTrue(link.startswith(self.home.base + "/offers/restaurants:"))
                asked = self.script(
                    "return performance.getEntriesByType('resource').map((each) => new URL(each.name).host)")
                self.assertEqual(set(asked), {self.home.base.removeprefix("http://")})

    def test_land_sea_and_names_are_drawn_in_the_colors_of_the_theme(self):
        self.set_size(DESKTOP)
        pixels = {}
        for mode in ("light", "dark"):
            self.set_mode(mode)
            self.open_map()
            self.wait("the land is not drawn", lambda: self.all(".leaflet-land-pane canvas"))
            pixels[mode] = self.script(
                "const found = new Set(); for (const tile of document.querySelectorAll('.leaflet-land-pane canvas')) {"
                " const data = tile.getContext('2d').getImageData(0, 0, tile.width, tile.height).data;"
                " for (let at = 0; at < data.length; at += 4 * 97) found.add([data[at], data[at + 1], data[at + 2]].join());"
                " } return [...found]")
            land = self.script(
                "const pen = document.createElement('canvas').getContext('2d');"
                " pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--map-land').trim();"
                " pen.fillRect(0, 0, 1, 1); return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).join()")
            self.assertIn(land, pixels[mode])
            self.assertEqual(self.find(".leaflet-control-attribution").text, "Natural Earth")
            self.wait("no country is named", lambda: self.find(".leaflet-control-zoom-out").click()
                      or "Canada" in [each.text for each in self.all(".map-name span")])
        self.assertNotEqual(set(pixels["light"]), set(pixels["dark"]))

    def test_a_place_has_a_small_map_directions_a_call_and_share(self):
        self.open(LIST)
        self.script("document.querySelector('.tiles .card-link').click()")
        for size in (PHONE, TABLET, WIDE_TABLET, DESKTOP):
            self.wait("the place is not shown", lambda: "/offers/" in self.browser.current_url)
            self.set_size(size)
            self.browser.refresh()
            self.wait_for("[data-small-map][data-ready]")
            self.assertEqual(len(self.all(".small-map .pin")), 1)
            links = [each.get_attribute("href") for each in self.all(".place .buttons a")]
            self.assertTrue(links[0].startswith("tel:"), links)
            self.assertRegex(links[0], r"^tel:\+?[0-9]{5,}$")
            self.assertTrue(links[1].startswith("https://www.openstreetmap.org/directions?to="), links)
            contact = [each.get_attribute("href") for each in self.all(".contact a")]
            self.assertIn(links[0], contact)
            for _ in self.looks((size,)):
                self.no_overflow()
        self.assertTrue(self.find("[data-share]").is_displayed())
        self.script("navigator.share = (data) => { window.shared = data; return Promise.resolve(); }")
        self.find("[data-share]").click()
        shared = self.script("return window.shared")
        self.assertEqual(shared["title"], self.find("h1").text)
        self.assertTrue(shared["url"].startswith("https://"), shared)

    def test_without_share_the_link_is_copied(self):
        self.open(LIST)
        self.script("document.querySelector('.tiles .card-link').click()")
        self.wait_for("[data-share]:not([hidden])")
        self.script("Object.defineProperty(navigator, 'share', {value: undefined});"
                    "Object.defineProperty(navigator, 'clipboard', {value: {writeText: (text) => {"
                    " window.copied = text; return Promise.resolve(); }}})")
        self.find("[data-share]").click()
        self.wait_for(".toast")
        self.assertIn("copied", self.find(".toast").text)
        self.assertTrue(self.script("return window.copied").startswith("https://"))

    def test_the_map_is_drawn_without_the_server(self):
        self.open_map()
        self.wait_worker()
        self.browser.refresh()
        self.wait_for("[data-map][data-ready]")
        self.home.stop()
        try:
            self.browser.refresh()
            self.wait_for("[data-map][data-ready]")
            self.wait("the map has no names", lambda: self.all(".map-name"))
        finally:
            self.home.start()


class TileTests(BrowserTest):
    feeds = ("restaurants",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.stop()
        cls.home.serve_arguments = [
            "--map-tiles", cls.home.feeds_base + "/tiles/{z}/{x}/{y}.png",
            "--map-attribution", "© <b>Someone</b>'s streets"]
        cls.home.start()

    def test_tiles_come_from_the_named_server_with_its_attribution(self):
        self.set_size(DESKTOP)
        self.home.feeds.tiles.clear()
        self.open(LIST)
        self.wait_ready()
        self.find("[data-map-link]").click()
        self.wait_for("[data-map][data-ready]")
        self.wait("no tile is shown", lambda: self.all(".leaflet-tile-pane img.leaflet-tile-loaded"))
        self.wait("the attribution is missing", lambda: self.find(".leaflet-control-attribution").text
                  == "Natural Earth, © <b>Someone</b>'s streets")
        path, referrer = self.home.feeds.tiles[0]
        self.assertRegex(path, r"^/tiles/\d+/\d+/\d+\.png$")
        self.assertEqual(referrer, self.home.base + "/")


class PlainMapTests(BrowserTest):
    """The map without scripts: the list alone."""

    feeds = ("restaurants",)

    def test_the_list_alone_is_shown(self):
        self.without_scripts()
        self.open(MAP)
        self.assertGreater(len(self.all("main .tiles .card")), 10)
        self.assertFalse(self.find("[data-map-dialog]").is_displayed())
        self.find(".tiles .card-link").click()
        self.wait_for(".place")
        self.assertFalse(self.find("[data-share]").is_displayed())
        self.assertFalse(self.find("[data-small-map]").is_displayed())
        self.assertTrue(self.find(".place .buttons a[href^='tel:']").is_displayed())
