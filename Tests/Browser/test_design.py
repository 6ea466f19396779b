"""The design: the names of its sizes and colors, its one header, its cards and sheets, and its motion."""

import json
import re

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from home import DESKTOP, PHONE, ROOT, BrowserTest

ASSETS = ROOT / "Sources/OffersServer/Assets"


# The words on more than one line, in what is visible.
BROKEN_WORDS = """
const broken = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  if (!node.parentElement.checkVisibility() || node.parentElement.closest(".hidden-heading, script, style")) continue;
  for (const {0: word, index} of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    if (new Set([...range.getClientRects()].map(({top}) => Math.round(top))).size > 1) broken.push(word);
  }
}
return broken;"""


class DesignTests(BrowserTest):
    feeds = ("ibotta", "albums")

    def setUp(self):
        self.set_size(PHONE)
        self.set_mode("light")

    def style(self, selector, *names):
        return self.script(
            "const style = getComputedStyle(document.querySelector(arguments[0]));"
            "return arguments[1].map((name) => style[name])", selector, names)

    def test_style_sheets_name_sizes_weights_and_colors(self):
        literal = re.compile(r"#[0-9a-f]{3,8}\b|rgba?\(|font-size: [\d.]+px|font-weight: \d|font-family: (?!var)")
        for file in ASSETS.glob("*.css"):
            if file.name == "tokens.css":
                continue
            found = [line.strip() for line in file.read_text("utf-8").splitlines() if literal.search(line)]
            self.assertEqual(found, [], file.name)

    def test_each_property_that_a_style_sheet_uses_is_set(self):
        files = [file.read_text("utf-8") for kind in ("css", "js") for file in ASSETS.glob(f"*.{kind}")]
        used = {name for text in files for name in re.findall(r"var\((--[\w-]+)\)", text)}
        known = {name for text in files for name in re.findall(r"(--[\w-]+)[\"']?[:,]", text)}
        self.assertEqual(used - known, set())

    def test_the_title_is_the_bar_and_the_first_tile_begins_above_150_pixels(self):
        for path in ("/all", "/feeds/ibotta"):
            self.open(path)
            self.assertLessEqual(self.rect(".grid .tile")["y"], 150, path)
            title, bar = self.rect(".head h1"), self.rect(".bar")
            self.assertGreaterEqual(title["y"], bar["y"])
            self.assertLessEqual(title["bottom"], bar["bottom"])
            self.assertEqual(self.style(".head h1", "fontSize"), ["28px"], path)

    def test_all_parts_of_the_bar_can_be_pressed(self):
        for path in ("/", "/settings/feeds", "/offers/ibotta:900113"):
            self.open(path)
            self.wait_ready()
            covered = self.script(
                "return [...document.querySelectorAll('.bar a, .bar button, .head button')].filter((each) => {"
                " const {x, y, width, height} = each.getBoundingClientRect();"
                " if (!each.checkVisibility({visibilityProperty: true})) return false;"
                " return !each.contains(document.elementFromPoint(x + width / 2, y + height / 2)); })"
                ".map((each) => each.outerHTML.slice(0, 90))")
            self.assertEqual(covered, [], path)
        self.open("/settings/feeds")
        self.assertGreaterEqual(self.rect(".head h1")["x"], self.rect(".back span")["right"])

    def test_one_icon_opens_a_sheet_that_sorts_and_filters(self):
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            self.open("/feeds/ibotta")
            self.wait_ready()
            self.find(".choice-button").click()
            self.wait("the sheet is not open", lambda: self.find(".choice").is_displayed())
            self.wait_still()
            if size == PHONE:
                self.assertEqual(self.rect(".choice")["bottom"], 812)
            self.no_overflow()
            ActionChains(self.browser).send_keys(Keys.ESCAPE).perform()
            self.wait("the sheet stays open", lambda: not self.find(".choice").is_displayed())

    def drag(self, selector, way):
        """Draws an element down by a touch."""
        place = self.rect(selector)
        x, y = place["x"] + place["width"] / 2, place["y"] + 12
        touch = lambda kind, points: self.browser.execute_cdp_cmd(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        touch("touchStart", [{"x": x, "y": y}])
        for step in range(1, 11):
            touch("touchMove", [{"x": x, "y": y + way * step / 10}])
        touch("touchEnd", [])

    def test_sheets_close_when_they_are_drawn_down_far_enough(self):
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.find(".choice-button").click()
        self.wait_still()
        self.drag(".choice", 200)
        self.wait("the sheet stays open", lambda: not self.find(".choice").is_displayed())
        self.open("/feeds/albums")
        self.wait_ready()
        self.find(".covers .card-link").click()
        self.wait_for("dialog.sheet[open]")
        self.wait_still()
        top = self.rect("dialog.sheet")["y"]
        self.script("window.ended = 0; document.querySelector('dialog.sheet').addEventListener('close', () => window.ended += 1)")
        self.drag("dialog.sheet", 300)
        self.wait("the sheet stays open", lambda: not self.all("dialog.sheet"))
        self.assertEqual(self.script("return [window.ended, location.pathname]"), [1, "/feeds/albums"])
        self.assertGreater(top, 0)

    def labels(self):
        return self.script(
            "return [...document.querySelectorAll('.grid .label')].filter((each) => !each.hidden)"
            ".map((each) => [each.closest('[data-ref]').dataset.ref, each.textContent])")

    def test_cards_tell_what_is_new_and_what_went_up_also_offline(self):
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        self.addCleanup(setattr, self.home.feeds, "ibotta_extra", [])
        self.open("/feeds/ibotta")
        self.assertEqual(self.labels(), [])
        self.home.feeds.ibotta_rewards = {"900113": "$4.00 Cash Back", "900114": "$0.10 Cash Back"}
        self.home.feeds.ibotta_extra = [{"id": "1", "name": "Oat milk", "current_value": "$1.00 Cash Back"}]
        self.home.run("sync", "--quiet", "--force", "ibotta")
        wanted = [["ibotta:900113", "Went up"], ["ibotta:1", "New"]]
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.script("scrollTo(0, document.documentElement.scrollHeight)")
        self.wait("the labels are missing", lambda: sorted(self.labels()) == sorted(wanted))
        self.wait_worker()
        self.wait("the new offer is not stored", lambda: (self.stored_offers() or {}).get("offers") == 125, 120)
        self.home.stop()
        self.addCleanup(self.home.start)
        self.open("/feeds/ibotta?sort=newest")
        self.wait("the labels are missing offline", lambda: ["ibotta:1", "New"] in self.labels())

    def test_labels_tell_days_until_the_end(self):
        self.open("/")
        self.wait_ready()
        texts = self.browser.execute_async_script("""
          const done = arguments[0];
          const address = document.querySelector("script[type=module]").src.replace("app.js", "times.js");
          import(address).then(({showTimes}) => {
            const root = document.createElement("div");
            const day = new Date();
            const at = (days, hour) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour);
            const end = (date) => `<time data-ends hidden datetime="${date.toISOString()}"></time>`;
            const news = (days) => `<time data-news datetime="${at(-days, day.getHours()).toISOString()}">New</time>`;
            root.innerHTML = [at(1, 0), at(1, 23), at(2, 23), at(3, 23), at(9, 0), at(-1, 0)].map(end).join("")
              + news(1) + news(9);
            showTimes(root);
            done([...root.children].map((each) => each.hidden ? null : each.textContent));
          });""")
        self.assertEqual(
            texts, ["ends today", "ends tomorrow", "2 days left", "3 days left", None, None, "New", None])

    def test_an_offer_shows_its_amount_and_has_its_star_in_the_picture(self):
        self.open("/offers/ibotta:900115")
        self.wait_ready()
        self.assertEqual(self.style("h1 .amount", "fontSize", "fontWeight"), ["34px", "700"])
        picture, star = self.rect(".offer-picture"), self.rect(".star")
        self.assertTrue(picture["x"] < star["x"] and star["right"] < picture["right"])
        self.assertTrue(picture["y"] < star["y"] and star["bottom"] < picture["bottom"])
        self.assertTrue(self.find(".glow img").get_attribute("src"))
        self.assertEqual(len(self.all("main [data-star]")), 1)
        self.find(".offer .star").click()
        self.wait("the offer is not saved", lambda: "ibotta:900115" in self.home.favorites())
        self.assertEqual(self.find(".offer .star").get_attribute("aria-pressed"), "true")
        self.assertFalse(self.find(".about dl").is_displayed())
        self.find(".about summary").click()
        for text in ("Feed", "ibotta:900115", "First seen"):
            self.assertIn(text, self.find(".about").text)

    def test_a_font_size_of_32_and_a_zoom_of_200_percent_work(self):
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.setFontSizes", {"fontSizes": {"standard": 16}})
        for size, font in ((PHONE, 32), ((640, 450), 16), ((640, 450), 32)):
            self.set_size(size)
            self.browser.execute_cdp_cmd("Page.setFontSizes", {"fontSizes": {"standard": font}})
            for path in ("/", "/feeds/ibotta", "/feeds/albums", "/offers/ibotta:900113", "/changes", "/settings"):
                with self.subTest(path=path, size=size, font=font):
                    self.open(path)
                    self.wait_ready()
                    self.no_overflow()
            self.open("/feeds/ibotta")
            self.assertEqual(self.style(".grid .amount", "fontSize"), [f"{font * 1.25:g}px"])
            self.assertEqual(self.script(
                "return [...document.querySelectorAll('.round, .choice-button')].filter((each) => {"
                " const r = each.getBoundingClientRect(); return r.width && (r.x < 0 || r.right > innerWidth) }).length"), 0)

    def test_no_word_breaks_in_the_middle_at_150_and_200_percent_of_text(self):
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.setFontSizes", {"fontSizes": {"standard": 16}})
        album = "/offers/" + json.loads(self.home.run("list", "--feed", "albums", "--json"))["offers"][0]["ref"]
        for font in (24, 32):
            self.browser.execute_cdp_cmd("Page.setFontSizes", {"fontSizes": {"standard": font}})
            for size in (PHONE, (844, 390), (1440, 900)):
                self.set_size(size)
                for path in ("/", "/feeds/albums", "/settings", "/settings/feeds", album):
                    with self.subTest(path=path, size=size, font=font):
                        self.open(path)
                        self.wait_ready()
                        self.assertEqual(self.script(BROKEN_WORDS), [])

    def test_nothing_moves_for_people_who_want_no_motion(self):
        features = [{"name": "prefers-reduced-motion", "value": "reduce"}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.open("/feeds/albums")
        self.wait_ready()
        self.find(".covers .card-link").click()
        self.wait_for("dialog.sheet[open]")
        self.script("document.querySelector('.sheet [data-star]').click()")
        times = self.script("return document.getAnimations().map((each) => each.effect.getComputedTiming().endTime)")
        self.assertLessEqual(max(times, default=0), 20)
