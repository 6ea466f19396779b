"""Pictures: their sizes, the plates of products, what stands for them while they load, and the way into a sheet."""

import json
import time

from home import DESKTOP, PHONE, BrowserTest
import feed_server

RED = feed_server.png(600, 600, [b"\xc8\x10\x10" * 600] * 600)
WHITE = feed_server.png(340, 224, [b"\xff" * 3 * 340] * 224)


class PictureTest(BrowserTest):
    def setUp(self):
        self.set_mode("light")
        self.set_size(PHONE)

    def tearDown(self):
        self.browser.execute_cdp_cmd("Fetch.disable", {})
        self.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def set_pixels(self, size, ratio):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": ratio, "mobile": size[0] < 600})

    def hold(self, pattern, isCacheUsed=True):
        """Keeps back the answers to requests until the test ends; the service worker would send them unnoticed."""
        self.browser.execute_cdp_cmd("Network.enable", {})
        self.browser.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": True})
        self.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": not isCacheUsed})
        self.browser.execute_cdp_cmd("Fetch.enable", {"patterns": [{"urlPattern": pattern}]})

    def wait_picture(self, selector):
        self.wait("the picture is not there", lambda: self.script(
            "return document.querySelector(arguments[0])?.naturalWidth > 0", selector + ".is-loaded"))
        self.wait_still()

    def color(self, x, y):
        """The color of a pixel of the screen."""
        shot = self.browser.execute_cdp_cmd("Page.captureScreenshot", {
            "format": "png", "clip": {"x": x, "y": y, "width": 4, "height": 4, "scale": 1}})["data"]
        return self.browser.execute_async_script(
            "const [data, done] = arguments, image = new Image(); image.onload = () => {"
            " const canvas = document.createElement('canvas'), context = canvas.getContext('2d');"
            " context.drawImage(image, 0, 0); done([...context.getImageData(1, 1, 1, 1).data].slice(0, 3)) };"
            "image.src = 'data:image/png;base64,' + data", shot)

    def assert_red(self, color, most):
        """Asserts that a color is a red one, brighter than the others by up to `most`."""
        self.assertGreater(color[0] - max(color[1:]), 12, color)
        self.assertLessEqual(color[0] - max(color[1:]), most, color)


class SizeTests(PictureTest):
    feeds = ("albums", "restaurants")

    def test_a_list_asks_for_pictures_of_the_size_that_it_draws_up_to_two_pixels_each(self):
        for size, ratio, width in ((PHONE, 2, 128), (PHONE, 3, 128), (DESKTOP, 1, 256), (DESKTOP, 2, 480), ((1920, 1080), 2, 480)):
            with self.subTest(size=size, ratio=ratio):
                self.set_pixels(size, ratio)
                self.open("/feeds/albums")
                self.wait_picture(".covers .picture img")
                drawn, found, source = self.script(
                    "const image = document.querySelector('.covers .picture img.is-loaded');"
                    "return [image.getBoundingClientRect().width, image.naturalWidth, image.src]")
                self.assertTrue(source.endswith(f"&width={width}"), source)
                # The picture itself is sent where a copy would have more bytes.
                self.assertIn(found, (width, 600))
                self.assertGreaterEqual(found, drawn * min(ratio, 2))
        # The address of the picture names 100 pixels.
        asked = [path for path in self.home.feeds.pictures if path.startswith("/images/albums/")]
        self.assertTrue(asked and all("/600x600" in path for path in asked), asked)

    def test_a_picture_from_edge_to_edge_is_as_wide_as_the_screen(self):
        self.open("/feeds/restaurants")
        self.wait_picture(".tiles .picture img")
        self.assertIn("&width=960", self.find(".tiles .picture img").get_attribute("src"))


class PlateTests(PictureTest):
    feeds = ("ibotta",)

    def test_in_the_dark_a_product_lies_on_a_light_plate_rounded_and_undimmed(self):
        self.home.feeds.pictures["/images/ibotta/900113.png"] = WHITE
        self.set_mode("dark")
        for path, plate in (("/feeds/ibotta", "[data-ref='ibotta:900113'] .tile"), ("/search?q=900113", ".results .picture"),
                            ("/offers/ibotta:900113", ".offer-picture .picture")):
            with self.subTest(path=path):
                self.open(path)
                if not self.all(plate):
                    continue
                self.wait_picture(plate + " img")
                box = self.rect(plate)
                self.assertEqual(self.color(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), [255, 255, 255])
                ground, radius = self.script(
                    "const {backgroundColor, borderRadius} = getComputedStyle(document.querySelector(arguments[0]));"
                    "return [backgroundColor, parseFloat(borderRadius)]", plate)
                self.assertEqual(ground, "rgb(255, 255, 255)")
                self.assertGreaterEqual(radius, 5)


class SheetTests(PictureTest):
    feeds = ("albums",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        offers = json.loads(cls.home.run("list", "--feed", "albums", "--json"))["offers"]
        # The other one is opened by one test only, so that the browser has no large picture of it.
        cls.ref, cls.other = offers[0]["ref"], offers[1]["ref"]
        cls.home.feeds.pictures[f"/images/albums/{cls.ref.split(':')[1]}/600x600bb.png"] = RED

    def open_list(self):
        self.open("/feeds/albums")
        self.wait_ready()
        self.wait_picture(f"[data-ref='{self.ref}'] .picture img")

    def open_sheet(self, ref=None):
        self.script("""
          window.moved = [];
          const start = document.startViewTransition.bind(document);
          document.startViewTransition = (update) => {
            const transition = start(update);
            transition.ready.then(() => window.moved.push(...document.getAnimations().map(({effect}) => effect.pseudoElement),
              document.querySelector('.sheet .picture img').className));
            return transition;
          }""")
        self.press(f".covers [data-ref='{ref or self.ref}'] .card-link")
        self.wait_for("dialog.sheet[open] .picture .is-loaded")
        self.wait_still()
        return self.script("return window.moved")

    def test_a_cover_grows_into_its_sheet(self):
        self.open_list()
        moved = self.open_sheet()
        self.assertIn("::view-transition-group(offer-picture)", moved)
        self.assertIn("is-loaded", moved)

    def test_nothing_moves_for_people_who_want_no_motion(self):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
        self.open_list()
        self.assertEqual(self.open_sheet(), [])

    def test_the_sheet_takes_the_tint_of_the_cover(self):
        for mode in ("light", "dark"):
            with self.subTest(mode=mode):
                self.set_mode(mode)
                self.open_list()
                self.open_sheet()
                sheet, picture = self.rect(".sheet"), self.rect(".sheet .offer-picture .picture")
                self.assert_red(self.color(sheet["x"] + 12, picture["y"] + picture["height"] / 2), 150)
                # The text stands on the usual ground.
                text = self.color(sheet["x"] + 3, sheet["bottom"] - 12)
                self.assertLess(max(text) - min(text), 12)

    def test_the_cover_of_the_list_is_shown_until_the_own_picture_has_arrived(self):
        self.open_list()
        self.wait_picture(f"[data-ref='{self.other}'] .picture img")
        shown = self.find(f"[data-ref='{self.other}'] .picture img").get_attribute("src")
        self.hold("*/api/v1/images/*")
        self.open_sheet(self.other)
        image = ".sheet .offer-picture .picture img"
        self.assertEqual(self.find(image).get_attribute("src"), shown)
        self.browser.execute_cdp_cmd("Fetch.disable", {})
        self.wait("the own picture does not come", lambda: self.script(
            "return document.querySelector(arguments[0]).naturalWidth", image) == 600)

    def test_three_colors_of_a_picture_stand_for_it_while_it_loads(self):
        # Of pictures that the server has, it knows the colors.
        self.open_list()
        self.hold("*/api/v1/images/*", isCacheUsed=False)
        self.open("/feeds/albums")
        self.wait_ready()
        blur = f"[data-ref='{self.ref}'] .blur"
        colors = self.script("return [...document.querySelectorAll(arguments[0] + ' rect')].map((each) => each.getAttribute('fill'))", blur)
        self.assertEqual(colors, ["#c81010"] * 3)
        box = self.rect(f"[data-ref='{self.ref}'] .picture")
        self.assert_red(self.color(box["x"] + 30, box["y"] + 30), 200)
        self.browser.execute_cdp_cmd("Fetch.disable", {})
        self.open_list()
        self.assertEqual(self.script("return getComputedStyle(document.querySelector(arguments[0])).visibility", blur), "hidden")


class WakeTests(PictureTest):
    feeds = ("ibotta",)

    ASKED = ("return performance.getEntriesByType('resource').map(({name}) => new URL(name).pathname)"
             ".filter((path) => ['news', 'changes', 'favorites'].some((each) => path === `/api/v1/${each}`)).sort()")

    def test_a_list_asks_once_for_what_is_new_and_never_because_a_picture_has_arrived(self):
        # The server has none of the pictures yet.
        self.open("/feeds/ibotta")
        self.wait_ready()
        for place in range(0, 3000, 400):
            self.script("scrollTo(0, arguments[0])", place)
            time.sleep(0.2)
        self.wait("the pictures do not come", lambda: len(self.all(".picture .is-loaded")) > 20)
        time.sleep(1.5)
        self.assertEqual(self.script(self.ASKED), ["/api/v1/changes", "/api/v1/favorites", "/api/v1/news"])
