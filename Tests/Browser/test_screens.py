"""The main screens, on a phone and on a desktop.

With OFFERS_SCREENSHOTS=1 their pictures in Tests/Browser/Screenshots are taken anew.
"""

import base64
import os
import unittest
from pathlib import Path

from home import DESKTOP, PHONE, SHOTS, BrowserTest

SCREENS = {
    "grid": "/feeds/ibotta",
    "restaurants": "/feeds/restaurants",
    "map": "/feeds/restaurants?view=map",
    "facts": "/feeds/facts",
    "movies": "/feeds/movies",
    "albums": "/feeds/albums",
    "offer": "/offers/ibotta:900113",
    "favorites": "/favorites",
    "new": "/changes",
    "search": "/search?q=coffee",
    "settings": "/settings",
}


class ScreenTests(BrowserTest):
    def test_every_main_screen_fits_and_shows_its_pictures(self):
        self.home.run("favorite", "ibotta:900113", "ibotta:900116", "ibotta:900119")
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        self.home.feeds.ibotta_rewards = {
            "900113": "$4.00 Cash Back", "900116": "Up to 6% Cash Back", "900119": None, "900120": None,
            "900122": "$2.25 Cash Back", "900124": "$0.50 Cash Back"}
        self.home.run("sync", "--quiet", "--force", "ibotta")
        folder = Path(__file__).parent / "Screenshots" if os.environ.get("OFFERS_SCREENSHOTS") else SHOTS
        folder.mkdir(parents=True, exist_ok=True)
        for size, device in ((PHONE, "phone"), (DESKTOP, "desktop")):
            self.set_size(size)
            for name, path in SCREENS.items():
                with self.subTest(name=name, device=device):
                    self.open(path)
                    self.wait_ready()
                    self.no_overflow()
                    self.assertTrue(self.find("h1").is_displayed())
                    if name == "map":
                        self.wait_for("[data-map][data-ready]")
                    self.wait("a visible picture is not loaded", lambda: self.script(
                        "return [...document.querySelectorAll('main img')].every((each) => each.complete"
                        " || each.getBoundingClientRect().top > innerHeight)"))
                    taken = self.browser.execute_cdp_cmd(
                        "Page.captureScreenshot", {"format": "webp", "quality": 80})
                    (folder / f"{name}-{device}.webp").write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    unittest.main()
