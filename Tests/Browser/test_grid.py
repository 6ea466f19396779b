"""The grid: its dimensions, its pictures and its pages."""

from home import DESKTOP, PHONE, BrowserTest

STARRED = "ibotta:900114"


class GridTests(BrowserTest):
    feeds = ("ibotta", "long")

    def boxes(self, selector):
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map((each) => {"
            " const r = each.getBoundingClientRect();"
            " return {x: r.x, y: r.y, width: r.width, height: r.height, right: r.right, bottom: r.bottom} })",
            selector,
        )

    def test_the_grid_on_a_phone_has_the_designed_dimensions(self):
        self.set_size(PHONE)
        self.home.run("favorite", STARRED)
        self.open("/feeds/ibotta")
        tiles = self.boxes(".grid .tile")
        first, second, third = tiles[0], tiles[1], tiles[2]
        self.assertEqual((first["width"], first["height"]), (170, 112))
        self.assertEqual(first["x"], 12)
        self.assertEqual(second["x"] - first["right"], 11)
        self.assertEqual(375 - second["right"], 12)
        self.assertEqual(third["x"], 12)
        reward, name = self.boxes(".grid .reward")[0], self.boxes(".grid .name")[0]
        self.assertEqual(reward["y"] - first["bottom"], 8)
        self.assertEqual(name["y"] - reward["bottom"], 3)
        lowest = max(each["bottom"] for each in self.boxes(".grid .name")[:2])
        self.assertEqual(third["y"] - lowest, 24)
        picture = self.boxes(".grid .picture")[0]
        self.assertEqual(
            (picture["x"] - first["x"], picture["y"] - first["y"], first["bottom"] - picture["bottom"]),
            (6, 6, 6))
        style = self.script(
            "const s = (q) => getComputedStyle(document.querySelector(q));"
            "return [s('.grid .tile').borderRadius,"
            " s('.grid .amount').fontSize, s('.grid .amount').fontWeight, s('.grid .amount').color,"
            " s('.grid .name').fontSize, s('.grid .name').fontWeight, s('.grid .name').webkitLineClamp]")
        self.assertEqual(style, [
            "5px", "20px", "700", "rgb(29, 31, 35)", "14px", "400", "2"])
        self.no_overflow()

    def test_wider_windows_have_more_columns(self):
        self.set_size(DESKTOP)
        self.open("/feeds/ibotta")
        tops = [box["y"] for box in self.boxes(".grid .tile")]
        self.assertEqual(tops.count(tops[0]), 5)
        self.no_overflow()

    def test_pictures_load_lazily_and_failed_ones_are_replaced_by_placeholders(self):
        self.set_size(PHONE)
        self.open("/feeds/ibotta")
        self.wait("no picture is loaded", lambda: self.script(
            "return [...document.querySelectorAll('.picture img')].some((each) => each.naturalWidth > 0)"))
        # The picture of the sixth offer does not exist; a placeholder is shown instead.
        self.script("document.querySelectorAll('.card')[5].scrollIntoView()")
        self.wait("the failed picture is not removed", lambda: self.script(
            "return !document.querySelectorAll('.card')[5].querySelector('img')"))
        self.assertEqual(
            self.script("return [...document.querySelectorAll('.picture img')].every((each) => each.loading === 'lazy')"),
            True)

    def test_scrolling_loads_thousands_of_offers(self):
        self.set_size(PHONE)
        self.open("/feeds/long")
        count = lambda: len(self.script("return [...document.querySelectorAll('.card')].map((each) => each.dataset.ref)"))
        self.assertEqual(self.get("/feeds/long").count('<li class="card'), 60)
        for wanted in (120, 180, 240, 600, 3000):
            self.wait(f"{wanted} offers are not loaded", lambda: self.script(
                "scrollTo(0, document.documentElement.scrollHeight); return true") and count() >= wanted, 120)
        refs = self.script("return [...document.querySelectorAll('.card')].map((each) => each.dataset.ref)")
        self.assertEqual(len(refs), len(set(refs)))
        self.assertEqual(refs, [f"long:{number}" for number in range(1, 3001)])
        # Two new favorites change two elements only. After a commit that leaves the favorites
        # unchanged, the scripts do not even look for stars.
        self.script(
            "window.written = 0; window.looked = 0;"
            "const write = Element.prototype.setAttribute; Element.prototype.setAttribute = function (name, value) {"
            " if (name === 'aria-pressed') window.written += 1; return write.call(this, name, value) };"
            "for (const kind of [Document, Element]) { const look = kind.prototype.querySelectorAll;"
            " kind.prototype.querySelectorAll = function (text) {"
            " if (text.includes('data-star')) window.looked += 1; return look.call(this, text) } }"
            "window.heard = 0; const ask = window.fetch; window.fetch = async (...all) => {"
            " const answer = await ask(...all);"
            " if (all[0] === '/api/v1/favorites') window.heard = answer.status; return answer }")
        self.home.run("favorite", "long:7", "long:2990")
        for ref in ("long:7", "long:2990"):
            self.wait(f"{ref} has no star", lambda: self.script(
                "return document.querySelector(`[data-star='${arguments[0]}']`).getAttribute('aria-pressed')", ref) == "true")
        self.assertEqual(self.script("return window.written"), 2)
        self.script("window.looked = 0; window.heard = 0")
        self.home.run("sync", "--quiet", "--force", "ibotta")
        self.wait("the favorites are not requested", lambda: self.script("return window.heard") == 304)
        self.assertEqual(self.script("return [window.written, window.looked]"), [2, 0])
