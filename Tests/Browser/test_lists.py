"""The lists: their stars, names, pictures, filters and the title in the bar."""

import json

from selenium.webdriver.common.keys import Keys

from home import DESKTOP, IS_WEBKIT, PHONE, BrowserTest


class ListTests(BrowserTest):
    def tap(self, x, y):
        for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
            self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def middle(self, selector):
        box = self.rect(selector)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def test_a_star_in_a_grid_is_visible_and_works_by_touch(self):
        self.set_size(PHONE)
        self.open("/feeds/ibotta")
        self.wait_ready()
        star = "[data-star='ibotta:900113']"
        self.assertEqual(self.script(
            "return getComputedStyle(document.querySelector(arguments[0])).opacity", star), "1")
        self.tap(*self.middle(star))
        self.wait("the tap does not set the star", lambda: self.home.favorites() == ["ibotta:900113"])
        self.assertTrue(self.browser.current_url.endswith("/feeds/ibotta"))
        self.tap(*self.middle(star))
        self.wait("the tap does not unset the star", lambda: self.home.favorites() == [])
        self.tap(*self.middle("[data-ref='ibotta:900113'] .tile"))
        self.wait("the picture does not open the offer", lambda: "900113" in self.browser.current_url)

    def test_names_have_two_lines_and_the_focus_shows_all_of_a_long_one(self):
        self.set_size(PHONE)
        self.home.feeds.ibotta_extra = [
            {"id": "88", "name": "A name of very many words " * 6, "current_value": "$1.00 Cash Back", "url": None}]
        self.addCleanup(setattr, self.home.feeds, "ibotta_extra", [])
        self.home.run("sync", "--quiet", "--force", "ibotta")
        self.open("/feeds/ibotta?sort=newest")
        self.wait_ready()
        name = "[data-ref='ibotta:88'] .name"
        lines = "const e = document.querySelector(arguments[0]);" \
            " return e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)"
        self.assertEqual(round(self.script(lines, name)), 2)
        if IS_WEBKIT:
            self.browser.take_focus()
        self.script("document.querySelector(\"[data-ref='ibotta:88'] .card-link\").focus()")
        self.browser.switch_to.active_element.send_keys(Keys.SHIFT)
        self.assertGreater(self.script(lines, name), 5)

    def test_no_text_is_smaller_than_13_pixels(self):
        self.home.run("favorite", "ibotta:900114")
        self.addCleanup(self.home.run, "favorite", "--remove", "ibotta:900114")
        for path in ("/", "/all", "/feeds/ibotta", "/feeds/restaurants", "/feeds/facts", "/feeds/albums", "/feeds/movies",
                     "/favorites", "/changes", "/search", "/search?q=coffee", "/settings", "/web",
                     "/settings/feeds", "/settings/browser", "/settings/about",
                     "/offers/ibotta:900113", "/offers/albums:8800001200"):
            self.open(path)
            for size in (PHONE, DESKTOP):
                self.set_size(size)
                small = self.script(
                    "return [...document.body.querySelectorAll('*')].filter((each) =>"
                    " [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())"
                    " && each.checkVisibility() && parseFloat(getComputedStyle(each).fontSize) < 13)"
                    ".map((each) => each.outerHTML.slice(0, 80))")
                self.assertEqual(small, [], path)

    def test_pictures_of_products_stand_on_one_quiet_ground_in_both_color_schemes(self):
        self.set_size(PHONE)
        self.addCleanup(self.set_mode, "light")
        self.home.feeds.ibotta_rewards = {"900113": "$4.00 Cash Back"}
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        self.home.run("sync", "--quiet", "--force", "ibotta")
        # White in a picture takes the color of its ground, which is its glow on the page of an offer. In the dark it
        # lies on a white plate.
        for mode, ground in (("light", "rgb(244, 245, 246)"), ("dark", "rgb(255, 255, 255)")):
            self.set_mode(mode)
            for path, selector in (("/", ".tile"), ("/search?q=coffee", ".results .picture"), ("/changes", ".changes .picture"),
                                   ("/offers/ibotta:900113", ".offer-picture .picture")):
                self.open(path)
                self.wait_ready()
                color = ground
                if path.startswith("/offers/") and mode == "light":
                    color = "rgba(0, 0, 0, 0)"
                self.wait(f"no picture stands on its ground, {path} {mode}", lambda: self.script(
                    "return [...document.querySelectorAll(arguments[0])].some((each) =>"
                    " each.querySelector('img')?.naturalWidth > 0"
                    " && getComputedStyle(each.querySelector('img')).mixBlendMode === 'multiply'"
                    " && getComputedStyle(each).backgroundColor.endsWith(arguments[1]))", selector, color))

    def test_the_order_and_each_filter_have_a_chip_that_removes_it(self):
        self.set_size(PHONE)
        self.open("/feeds/ibotta?sort=reward&reverse=1&minimum=%241&new=1")
        self.wait_ready()
        self.assertEqual([each.text for each in self.all(".narrow")], ["At least $1", "New this week", "Lowest reward"])
        count = self.find(".count").text
        self.find("[aria-label='Remove: At least $1']").click()
        self.wait("the filter stays", lambda: len(self.all(".narrow")) == 2)
        self.assertNotEqual(self.find(".count").text, count)
        self.find("[aria-label='Remove: Lowest reward']").click()
        self.wait("the order stays", lambda: [each.text for each in self.all(".narrow")] == ["New this week"])
        self.assertTrue(self.browser.current_url.endswith("/feeds/ibotta?new=1"))

    def test_the_form_sets_filters_and_offers_only_those_with_choices(self):
        self.set_size(PHONE)
        self.open("/feeds/facts")
        self.find(".choice-button").click()
        self.wait_still()
        names = {each.get_attribute("name") for each in self.all(".panel [name]")}
        self.assertFalse(names & {"category", "retailer", "minimum", "ending"}, names)
        self.open("/feeds/ibotta")
        self.find(".choice-button").click()
        self.wait_still()
        self.assertEqual(len(self.all(".panel [name=minimum]")), 1)
        field = self.find(".panel [name=minimum]")
        field.send_keys("a lot")
        self.find(".panel .primary").click()
        self.assertFalse(self.script("return arguments[0].validity.valid", field))
        field.clear()
        field.send_keys("5")
        self.find(".panel .primary").click()
        self.wait("the list is not filtered", lambda: [each.text for each in self.all(".narrow")] == ["At least 5"])
        rewards = [each.text for each in self.all(".grid .amount")]
        self.assertIn("$12.00", rewards)
        self.assertNotIn("$0.75", rewards)

    def test_restaurants_have_two_columns_on_tablets_and_one_on_phones(self):
        for size, columns in ((PHONE, 1), ((768, 1024), 2), ((820, 1180), 2), ((1024, 768), 2), ((1180, 820), 2)):
            self.set_size(size)
            self.open("/feeds/restaurants")
            count = self.script(
                "return getComputedStyle(document.querySelector('.tiles')).gridTemplateColumns.split(' ').length")
            self.assertEqual(count, columns, size)
            self.no_overflow(str(size))

    def test_the_title_of_a_feed_stays_in_the_bar(self):
        self.set_size(PHONE)
        self.open("/feeds/albums")
        self.wait_ready()
        self.script("scrollTo(0, 600)")
        self.wait("the title does not shrink", lambda: self.rect("h1")["height"] < 24)
        self.assertGreaterEqual(self.rect("h1")["y"], 0)
        self.assertLessEqual(self.rect("h1")["bottom"], self.rect(".bar")["bottom"])
        self.set_size(DESKTOP)
        self.open("/feeds/albums")
        self.wait_ready()
        self.wait("the title is in the bar at once", lambda: not self.find(".bar-title").is_displayed())
        self.script("scrollTo(0, 600)")
        self.wait("the title is not in the bar", lambda: self.find(".bar-title").is_displayed())
        self.assertEqual(self.find(".bar-title").text, self.find("h1").text)
        self.script("scrollTo(0, 0)")
        self.wait("the title stays in the bar", lambda: not self.find(".bar-title").is_displayed())

    def test_the_days_of_changes_are_words(self):
        self.set_size(DESKTOP)
        self.open("/changes")
        self.wait_ready()
        self.assertEqual(self.find(".day h2").text, "Today")
        words = self.script(
            "const at = (days) => { const d = new Date(Date.now() + days * 864e5);"
            " return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, '0')}-${String(d.getDate()).padStart(2, '0')}` };"
            "return [at(-1), at(-3)]")
        self.assertEqual(self.day(words[0]), "Yesterday")
        self.assertRegex(self.day(words[1]), r"^\w+day, \d+ \w+$")
        self.assertEqual(self.day("2019-03-05"), "5 March 2019")

    def day(self, text):
        """The words that the scripts of the page write for a day."""
        return self.browser.execute_async_script(
            "const [text, done] = arguments; const time = document.createElement('time');"
            " time.dateTime = text; time.dataset.day = ''; const part = document.createElement('div'); part.append(time);"
            " const name = document.querySelector('script[type=module]').src.replace('app.js', 'lists.js');"
            " import(name).then((lists) => { lists.tidy(part); done(time.textContent); })", text)


class SubscriptionTests(BrowserTest):
    feeds = ("ibotta", "facts")

    def test_unsubscribing_asks_first_and_can_be_undone(self):
        for size in (DESKTOP, PHONE):
            self.set_size(size)
            self.open("/settings/feeds")
            self.wait_ready()
            self.find("[data-feed=facts] .feed-leave summary").click()
            self.assertIn("facts", self.subscribed())
            self.no_overflow()
            self.script("document.querySelector('[data-unsubscribe=facts]').scrollIntoView({block: 'center'})")
            self.find("[data-unsubscribe=facts]").click()
            self.wait("the feed stays", lambda: "facts" not in self.subscribed())
            self.wait("no undo", lambda: any("Undo" in each.text for each in self.all(".toast")))
            self.find(".toast button").click()
            self.wait("the undo does nothing", lambda: "facts" in self.subscribed())
            self.wait_for("[data-feed=facts] [data-unsubscribe]")

    def subscribed(self):
        return [each["name"] for each in json.loads(self.get("/api/v1/feeds"))["feeds"] if each["subscribed"]]
