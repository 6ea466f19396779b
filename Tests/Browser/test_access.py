"""An accessibility audit of every page by axe, in light and dark mode."""

import unittest
from importlib.util import find_spec
from pathlib import Path

from home import DESKTOP, PHONE, BrowserTest

AXE = (Path(find_spec("axe_playwright_python").submodule_search_locations[0]) / "axe.min.js").read_text("utf-8")

PAGES = [
    "/", "/feeds/ibotta", "/feeds/restaurants", "/feeds/restaurants?view=map", "/feeds/facts",
    "/feeds/albums", "/feeds/movies", "/favorites", "/changes", "/search", "/search?q=coffee",
    "/search?q=cofee", "/search?q=nothinghasthis", "/web", "/settings", "/offline", "/nothing-here",
    "/offers/ibotta:900113", "/offers/albums:8800001200", "/?category=none",
]


class AccessTests(BrowserTest):
    def audit(self):
        self.script(AXE)
        found = self.browser.execute_async_script(
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']})"
            ".then((result) => done([result.passes.length, result.violations]), (error) => done(String(error)))")
        self.assertIsInstance(found, list, found)
        passes, found = found
        self.assertGreater(passes, 10)
        return [
            f"{each['id']} ({each['impact']}): {each['nodes'][0]['html'][:160]} {each['nodes'][0]['failureSummary'][:300]}"
            for each in found
        ]

    def test_no_page_has_a_violation(self):
        self.home.run("favorite", "ibotta:900113", "ibotta:900114")
        for mode in ("light", "dark"):
            self.set_mode(mode)
            for size in (PHONE, DESKTOP):
                self.set_size(size)
                for path in PAGES:
                    with self.subTest(path=path, mode=mode, size=size[0]):
                        self.open(path)
                        self.wait_ready()
                        if "view=map" in path:
                            self.wait_for("[data-map][data-ready]")
                        self.assertEqual(self.audit(), [])
                        name = path.strip("/").replace("/", "-").replace("?", "-").replace("=", "-") or "offers"
                        self.shoot(f"page-{name.replace(':', '-')}-{mode}")


if __name__ == "__main__":
    unittest.main()
