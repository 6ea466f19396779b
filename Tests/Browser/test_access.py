"""An accessibility audit of every page by axe, in light and dark mode."""

from home import DESKTOP, PHONE, BrowserTest

PAGES = [
    "/", "/all", "/feeds/ibotta", "/feeds/restaurants", "/feeds/restaurants?view=map", "/feeds/facts",
    "/feeds/albums", "/feeds/movies", "/favorites", "/changes", "/search", "/search?q=coffee",
    "/search?q=cofee", "/search?q=nothinghasthis", "/web", "/settings",
    "/settings/feeds", "/settings/people", "/settings/browser", "/settings/about", "/offline", "/nothing-here",
    "/offers/ibotta:900113", "/offers/albums:8800001200", "/?category=none",
]


class AccessTests(BrowserTest):
    def test_no_page_has_a_violation(self):
        self.home.run("favorite", "ibotta:900113", "ibotta:900114")
        for path in PAGES:
            name = path.strip("/").replace("/", "-").replace("?", "-").replace("=", "-") or "offers"
            self.open(path)
            self.wait_ready()
            for size, mode in self.looks():
                with self.subTest(path=path, mode=mode, size=size[0]):
                    if "view=map" in path:
                        self.wait_for("[data-map][data-ready]")
                    self.assertEqual(self.violations(), [])

    def test_no_sheet_and_no_proposal_of_a_feed_has_a_violation(self):
        self.set_size(PHONE)
        self.open("/feeds/albums")
        self.wait_ready()
        self.find(".covers .card-link").click()
        self.wait_for("dialog.sheet[open] .offer")
        for size, mode in self.looks():
            with self.subTest(mode=mode, size=size[0]):
                # The sheet moves in, and is transparent until then.
                self.wait_still()
                self.assertEqual(self.violations(), [])
        self.open("/settings/feeds")
        self.wait_ready()
        self.find("[data-add-feed] input").send_keys("ftp://example.com/")
        self.find("[data-add-feed] button").click()
        self.wait_for("[data-add-feed] .feed-error, [data-add-feed] [role=alert]")
        for size, mode in self.looks():
            with self.subTest(mode=mode, size=size[0]):
                self.assertEqual(self.violations(), [])


class SizeTests(BrowserTest):
    def test_the_scripts_of_each_page_have_less_than_110_kilobytes_and_with_a_map_120(self):
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            for path in PAGES:
                with self.subTest(path=path, size=size[0]):
                    self.open(path)
                    self.wait_ready()
                    bytes = self.script(
                        "return performance.getEntriesByType('resource').filter(({name}) => /\\/assets\\/.*\\.js\\?v=/.test(name))"
                        ".reduce((sum, each) => sum + each.decodedBodySize, 0)")
                    self.assertGreater(bytes, 20_000)
                    self.assertLess(bytes, 120_000 if "view=map" in path else 110_000)
