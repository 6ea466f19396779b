"""The main screens, on a phone and on a desktop, in both color schemes, and their pictures.

The pictures go into .build/screenshots; `Scripts/test-browser --screenshots` makes those of the
documentation, in Tests/Browser/Screenshots, which the environment variable OFFERS_SCREENSHOTS names.
"""

import base64
import json
import os
from pathlib import Path

from home import DESKTOP, PHONE, SHOTS, BrowserTest

# PLACE stands for the first restaurant.
SCREENS = {
    "today": "/",
    "grid": "/feeds/ibotta",
    "restaurants": "/feeds/restaurants",
    "place": "/offers/PLACE",
    "map": "/feeds/restaurants?view=map",
    "facts": "/feeds/facts",
    "movies": "/feeds/movies",
    "albums": "/feeds/albums",
    "offer": "/offers/ibotta:900113",
    "favorites": "/favorites",
    "search": "/search?q=coffee",
    "settings": "/settings",
    "new": "/changes",
}
# A picture has at most this many bytes: its quality is lowered until it fits.
LIMIT = 60_000
QUALITIES = (80, 65, 50, 35, 20)


class ScreenTests(BrowserTest):
    def picture(self):
        """What the browser shows, as a WebP of at most LIMIT bytes."""
        for quality in QUALITIES:
            taken = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": quality})
            data = base64.b64decode(taken["data"])
            if len(data) <= LIMIT:
                return data
        self.fail(f"a picture has {len(data)} bytes")

    def wait_pictures(self):
        self.wait("a visible picture is not loaded", lambda: self.script(
            "return [...document.querySelectorAll('main img')].every((each) => each.complete"
            " || each.getBoundingClientRect().top > innerHeight)"))
        self.wait("a picture still appears", lambda: self.script(
            "return document.getAnimations().every((each) => each.playState !== 'running'"
            " || each.effect.getComputedTiming().iterations === Infinity)"))
        self.wait("a tile of the map still appears", lambda: self.script(
            "return [...document.querySelectorAll('.leaflet-tile')].every((each) => getComputedStyle(each).opacity === '1')"))

    def test_every_main_screen_fits_and_shows_its_pictures(self):
        self.home.run("favorite", "ibotta:900113", "ibotta:900116", "ibotta:900119")
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        self.home.feeds.ibotta_rewards = {
            "900113": "$4.00 Cash Back", "900116": "Up to 6% Cash Back", "900119": None, "900120": None,
            "900122": "$2.25 Cash Back", "900124": "$0.50 Cash Back"}
        self.home.run("sync", "--quiet", "--force", "ibotta")
        place = json.loads(self.home.run("list", "--feed", "restaurants", "--json"))["offers"][0]["ref"]
        folder = Path(os.environ.get("OFFERS_SCREENSHOTS", SHOTS))
        folder.mkdir(parents=True, exist_ok=True)
        looks = [(name, size, device) for size, device in ((PHONE, "phone"), (DESKTOP, "desktop")) for name in SCREENS]
        # The page of what is new comes last, because it takes the badge away from all others.
        for name, size, device in sorted(looks, key=lambda look: look[0] == "new"):
            self.set_size(size)
            for scheme, ending in (("light", ""), ("dark", "-dark")):
                with self.subTest(name=name, device=device, scheme=scheme):
                    # A map is drawn in the colors of the scheme in which it is opened.
                    self.set_mode(scheme)
                    if scheme == "light" or name in ("map", "place"):
                        self.open(SCREENS[name].replace("PLACE", place))
                        self.wait_ready()
                    self.no_overflow()
                    self.assertTrue(self.find("h1").is_displayed())
                    if name in ("map", "place"):
                        self.wait_for("[data-map][data-ready], [data-small-map][data-ready]")
                    self.wait_pictures()
                    (folder / f"{name}-{device}{ending}.webp").write_bytes(self.picture())
