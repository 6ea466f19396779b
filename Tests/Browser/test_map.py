"""The map over the list of a feed, the small maps of places, and street tiles."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import feed_server
from home import DESKTOP, PHONE, BrowserTest

LIST = "/feeds/restaurants"
MAP = LIST + "?view=map"
TABLET, WIDE_TABLET, LANDSCAPE = (820, 1180), (1180, 820), (812, 375)


class MapTests(BrowserTest):
    feeds = ("restaurants", "facts", "hostile")

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
            " sum + (pin.matches('.is-cluster') ? parseInt(pin.textContent) : 1), 0)")

    def boxes(self, selector):
        """The text and the edges of each visible element: left, top, right, bottom."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].filter((each) => each.checkVisibility({visibilityProperty: true}))"
            ".map((each) => { const {left, top, right, bottom} = each.getBoundingClientRect();"
            " return [each.textContent, left, top, right, bottom] })", selector)

    def assert_apart(self, boxes):
        for index, (text, left, top, right, bottom) in enumerate(boxes):
            for other in boxes[index + 1:]:
                self.assertFalse(left < other[3] and other[1] < right and top < other[4] and other[2] < bottom,
                                 f"{self.size}: {text!r} and {other[0]!r} overlap")

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
              if (!String(asked[0]).endsWith("view=map")) return answer;
              // The second click comes before the first answer, which would cover the link.
              await new Promise((resolve) => setTimeout(resolve, 500));
              setTimeout(() => { window.answers += 1; }, 200);
              return answer;
            };""")
        # Clicks of the pointer: Back skips what a script has added to the history without any, in WebKit.
        ActionChains(self.browser).double_click(self.find("[data-map-link]")).perform()
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
                    each.text for each in self.all(".map-name:not(.is-ring) span")] == ["Wisconsin"])
                self.assert_apart(self.boxes(".map .pin"))
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

    def test_names_stand_on_pins_without_collision_and_the_view_fits_all_places_with_room(self):
        for size in (PHONE, LANDSCAPE, TABLET, WIDE_TABLET, DESKTOP, (1920, 1080)):
            self.set_size(size)
            self.open_map()
            pins, names = self.boxes(".map .pin"), self.boxes(".map .pin-name")
            controls = self.boxes(".map .leaflet-control")
            self.assertEqual(self.pin_count(), 24)
            self.assertGreater(len(names), 1)
            self.assert_apart(pins + names + controls + self.boxes(".map .map-name span"))
            box = self.rect("[data-map]")
            for text, left, top, right, bottom in pins:
                room = min(left - box["x"], top - box["y"], box["right"] - right, box["bottom"] - bottom)
                self.assertGreater(room, 12, (size, text))
            for text, left, top, right, bottom in names:
                self.assertGreaterEqual(min(left - box["x"], top - box["y"], box["right"] - right, box["bottom"] - bottom), 0, text)

    def test_names_find_other_places_after_a_zoom(self):
        self.set_size(DESKTOP)
        self.open_map()
        shown = {each[0] for each in self.boxes(".map .pin-name")}
        cluster = self.find(".pin.is-cluster")
        cluster.click()
        self.wait("the cluster is not entered", lambda: {each[0] for each in self.boxes(".map .pin-name")} - shown)
        self.wait_still()
        self.assert_apart(self.boxes(".map .pin") + self.boxes(".map .pin-name") + self.boxes(".map .leaflet-control"))

    def test_a_number_on_the_map_is_one_of_places_or_a_distance(self):
        self.open_map()
        clusters = [each[0] for each in self.boxes(".pin.is-cluster")]
        self.assertGreater(len(clusters), 0)
        for text in clusters:
            self.assertRegex(text, r"^\d+ places$")
        self.assertEqual([each[0] for each in self.boxes(".pin:not(.is-cluster)") if each[0]], [])
        for text, *_ in self.boxes(".map .pin-name, .map .map-name span"):
            self.assertRegex(text, r"^\D+$|^\d+ k?m$")
        self.assertEqual(self.script(
            "return getComputedStyle(document.querySelector('.places .card-link'), '::before').content"), "none")

    def test_places_at_one_point_are_listed_where_no_zoom_tells_them_apart(self):
        self.home.feeds.hostile_extra = [
            {"id": f"same-{number}", "name": f"Stall {number}", "lat": 51.5, "lng": -0.12} for number in (1, 2)]
        self.addCleanup(setattr, self.home.feeds, "hostile_extra", [])
        self.home.run("sync", "--quiet", "--force", "hostile")
        self.open("/feeds/hostile?view=map")
        self.wait_for("[data-map][data-ready]")
        self.script("[...document.querySelectorAll('.places .card')].find((row) => row.dataset.name === 'Stall 2')"
                    ".querySelector('.round').click()")
        self.wait("the popup lists one", lambda: [
            each.text for each in self.all(".leaflet-popup-content strong")] == ["Stall 1", "Stall 2"])
        self.assertEqual([each[0] for each in self.boxes(".map .pin.is-cluster")], ["2 places"])

    def test_without_streets_rings_of_distances_and_directions_surround_the_middle(self):
        for size in (PHONE, LANDSCAPE, DESKTOP):
            self.set_size(size)
            self.open_map()
            words = {each[0]: each[1:] for each in self.boxes(".map-name.is-ring span")}
            self.assertLessEqual({"E", "S", "W"}, words.keys())
            self.assertLess(words["W"][0], words["E"][0])
            distances = [text for text in words if text.endswith(" km")]
            self.assertGreater(len(distances), 0)
            # A ring is as wide as the scale of the map says.
            scale = self.find(".leaflet-control-scale-line")
            pixels = scale.size["width"] / int(scale.text.split()[0])
            left, top, right, bottom = words[distances[0]]
            west, south = words["W"], words["S"]
            middle = ((south[0] + south[2]) / 2, (west[1] + west[3]) / 2)
            radius = (((left + right) / 2 - middle[0]) ** 2 + ((top + bottom) / 2 - middle[1]) ** 2) ** 0.5
            self.assertAlmostEqual(radius / pixels / int(distances[0].split()[0]), 1, delta=0.08)
        # Far from the middle the distances go on, with the direction.
        self.script("document.querySelector('[data-map]').focus()")
        self.wait("no distance is shown", lambda: ActionChains(self.browser).send_keys(Keys.ARROW_UP).perform() or [
            each[0] for each in self.boxes(".map-name.is-ring span") if each[0].endswith(" km north")])

    def test_the_close_button_covers_nothing(self):
        for size in (PHONE, LANDSCAPE, DESKTOP):
            self.set_size(size)
            self.open_map()
            self.assert_apart([*self.boxes("[data-close]"), *self.boxes("[data-map]")])
            self.assert_apart([*self.boxes("[data-close]"), *self.boxes(".places")])
        self.set_size((1600, 1000))
        self.open(LIST)
        self.wait_ready()
        self.find(".tiles .card-link").click()
        self.wait_for(".column [data-small-map][data-ready]")
        self.assert_apart([*self.boxes(".column-close"), *self.boxes(".column .small-map")])

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
            self.assertEqual(self.find(".map .streets").text, "Show streets from openstreetmap.org")
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
            self.assertEqual(len(self.all(".small-map .pin:not(.is-near)")), 1)
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

    def setUp(self):
        self.set_size(DESKTOP)
        self.open("/settings")
        self.script("localStorage.clear()")
        self.home.feeds.tiles.clear()

    def open_map(self):
        self.open(MAP)
        self.wait_for("[data-map][data-ready]")

    def choose(self):
        self.open_map()
        self.find(".streets").click()
        self.wait("no tile is shown", lambda: self.all(".leaflet-tile-pane img.leaflet-tile-loaded"))

    def stored_images(self):
        return self.browser.execute_async_script(
            "const done = arguments[0]; caches.open('offers-images-2').then((cache) => cache.keys())"
            ".then((all) => done(all.map(({url}) => url)))")

    def test_streets_are_asked_for_once_on_the_map_and_the_choice_is_remembered(self):
        host = self.home.feeds_base.removeprefix("http://")
        self.open_map()
        self.assertEqual(self.find(".streets").text, f"Show streets from {host}")
        self.wait("the land is not drawn", lambda: self.all(".leaflet-land-pane canvas"))
        self.open("/offers/restaurants:" + self.script("return document.querySelector('.places .card').dataset.ref.split(':')[1]"))
        self.wait_for("[data-small-map][data-ready]")
        self.assertEqual(self.find(".streets").text, f"Show streets from {host}")
        self.assertEqual(self.home.feeds.tiles, [], "a tile is asked for without the choice")
        self.find(".streets").click()
        self.wait("no tile is shown", lambda: self.all(".leaflet-tile-pane img.leaflet-tile-loaded"))
        self.open_map()
        self.wait("the choice is forgotten", lambda: self.all(".leaflet-tile-pane img.leaflet-tile-loaded"))
        self.assertFalse(self.find(".leaflet-rings-pane").is_displayed())
        self.assertEqual(self.find(".streets").text, "Hide streets")
        self.find(".streets").click()
        self.assertEqual(self.all(".leaflet-tile-pane img"), [])
        self.home.feeds.tiles.clear()
        self.open_map()
        self.assertEqual(self.find(".streets").text, f"Show streets from {host}")
        self.assertEqual(self.home.feeds.tiles, [])

    def test_tiles_come_from_the_named_server_with_its_attribution(self):
        self.choose()
        self.assertEqual(self.find(".leaflet-control-attribution").text, "Natural Earth, © <b>Someone</b>'s streets")
        path, referrer = self.home.feeds.tiles[0]
        self.assertRegex(path, r"^/tiles/\d+/\d+/\d+\.png$")
        self.assertEqual(referrer, self.home.base + "/")

    def test_the_content_policy_allows_the_host_of_the_tiles_and_no_other(self):
        self.choose()
        outcome = """
            const [address, done] = arguments, image = new Image();
            image.onload = () => done("loaded");
            image.onerror = () => done("refused");
            image.src = address;"""
        # The host has another port in the second address.
        self.assertEqual(self.browser.execute_async_script(outcome, self.home.feeds_base + "/tiles/1/1/1.png"), "loaded")
        other, base = feed_server.start()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        feed_server.Handler.feeds.base = self.home.feeds_base
        self.home.feeds.tiles.clear()
        self.assertEqual(self.browser.execute_async_script(outcome, base + "/tiles/1/1/1.png"), "refused")
        self.assertEqual(self.home.feeds.tiles, [])

    def test_tiles_are_kept_among_the_fifty_images_and_shown_without_any_server(self):
        self.open("/feeds/restaurants")
        self.wait_worker()
        self.choose()
        self.wait("no tile is kept", lambda: any("/tiles/" in each for each in self.stored_images()))
        for _ in range(3):
            self.script("document.querySelector('.leaflet-control-zoom-in').click()")
            self.wait_still()
        self.wait("the tiles are not kept", lambda: sum("/tiles/" in each for each in self.stored_images()) > 20)
        self.assertLessEqual(len(self.stored_images()), 50)
        self.open_map()
        self.wait("the tiles are not loaded again", lambda: self.all(".leaflet-tile-pane img.leaflet-tile-loaded"))
        self.wait_stored()
        self.browser.get("about:blank")
        self.browser.execute_cdp_cmd("Network.clearBrowserCache", {})
        self.home.stop()
        self.home.feeds.shows_tiles = False
        try:
            self.open_map()
            self.wait("no kept tile is shown", lambda: self.all(".leaflet-tile-pane img.leaflet-tile-loaded"))
        finally:
            self.home.feeds.shows_tiles = True
            self.home.start()


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
