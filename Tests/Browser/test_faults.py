"""Faults that a person would leave for: a hidden focus, a lost place, a stale tab, a silent error."""

from selenium.webdriver.common.keys import Keys

from home import DESKTOP, PHONE, BrowserTest, time

# Finds the accent color at the middle of each side of a box in a picture of the window, at most 8 pixels from the side.
RING = """
const [data, box, color, done] = arguments;
const near = (pixel) => color.every((part, index) => Math.abs(part - pixel[index]) < 24);
const picture = new Image();
picture.onload = () => {
  const canvas = Object.assign(document.createElement('canvas'), {width: picture.width, height: picture.height});
  const context = canvas.getContext('2d');
  context.drawImage(picture, 0, 0);
  const middle = {x: box.x + box.width / 2, y: box.y + box.height / 2};
  const sides = {left: [box.x, middle.y, 1, 0], right: [box.right, middle.y, 1, 0],
                 top: [middle.x, box.y, 0, 1], bottom: [middle.x, box.bottom, 0, 1]};
  done(Object.entries(sides).filter(([, [x, y, dx, dy]]) => {
    for (let step = -8; step <= 8; step += 1) {
      if (near(context.getImageData(Math.round(x + step * dx), Math.round(y + step * dy), 1, 1).data)) return false;
    }
    return true;
  }).map(([side]) => side));
};
picture.src = `data:image/png;base64,${data}`;
"""


class FocusTests(BrowserTest):
    def test_the_focus_of_a_card_is_seen_on_all_sides_in_every_layout(self):
        for size in (DESKTOP, PHONE):
            self.set_size(size)
            for path in ("/", "/feeds/restaurants", "/feeds/facts", "/feeds/albums", "/feeds/movies", "/changes"):
                with self.subTest(path=path, size=size):
                    self.open(path)
                    self.wait_ready()
                    self.find("main").send_keys(Keys.SHIFT)
                    self.script("const link = document.querySelectorAll('.card-link')[1];"
                                " link.scrollIntoView({block: 'center', behavior: 'instant'}); link.focus()")
                    self.wait("the page does not come to rest", self.rests)
                    box = self.script("const {x, y, width, height, right, bottom} ="
                                      " document.activeElement.getBoundingClientRect();"
                                      " return {x, y, width, height, right, bottom}")
                    scale = self.script("return devicePixelRatio")
                    box = {name: value * scale for name, value in box.items()}
                    shot = self.browser.get_screenshot_as_base64()
                    hidden = self.browser.execute_async_script(RING, shot, box, [10, 107, 80])
                    self.assertEqual(hidden, [])


class PlaceTests(BrowserTest):
    feeds = ("long", "movies")

    def tearDown(self):
        self.browser.get("about:blank")

    def go_deep(self):
        """Opens a list and goes to its 339th offer. Returns the offer's distance from the top of the screen."""
        self.open("/feeds/long")
        self.wait_ready()
        while len(self.all("[data-list] > *")) < 340:
            count = len(self.all("[data-list] > *"))
            self.script("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
            self.wait("nothing more came", lambda: len(self.all("[data-list] > *")) > count)
        self.script("document.querySelectorAll('.card-link')[338].scrollIntoView({block: 'center', behavior: 'instant'})")
        self.wait("the list does not come to rest", self.rests)
        return self.place()

    def place(self):
        return self.script("return document.querySelectorAll('.card-link')[338]?.getBoundingClientRect().top ?? null")

    def leave_and_return(self):
        self.script("document.querySelectorAll('.card-link')[338].click()")
        self.wait_for("[data-back]")
        self.wait_ready()
        self.find("[data-back]").click()
        self.wait("the list is not shown", lambda: self.browser.current_url.endswith("/feeds/long"))

    def is_noted(self):
        """Whether the entry of the history has the place at which the list is now."""
        return self.script(
            "const {count, ref, top} = history.state?.place ?? {};"
            " const card = document.querySelector(`[data-list] > [data-ref='${ref}']`);"
            " return count === document.querySelectorAll('[data-list] > *').length && Math.abs(card.getBoundingClientRect().top - top) < 1")

    def is_at(self, place):
        return self.place() is not None and abs(self.place() - place) < 4

    def test_back_from_deep_in_a_list_finds_the_page_as_it_was_left(self):
        place = self.go_deep()
        self.script("window.left = true")
        self.leave_and_return()
        self.assertTrue(self.script("return window.left === true"),
                        self.script("return JSON.stringify(performance.getEntriesByType('navigation')[0].notRestoredReasons)"))
        self.assertTrue(self.is_at(place))
        # The streams and channels that were closed are open again.
        self.home.feeds.long_count = 2999
        self.addCleanup(setattr, self.home.feeds, "long_count", 3000)
        self.home.run("sync", "--quiet", "--force", "long")
        self.wait_for(".news-pill")

    def test_back_restores_depth_and_place_of_a_page_that_the_browser_has_discarded(self):
        place = self.go_deep()
        # A page with this listener is never kept.
        self.script("addEventListener('unload', () => {})")
        self.leave_and_return()
        self.assertIsNone(self.script("return window.left ?? null"))
        self.wait("depth and place are lost", lambda: self.is_at(place), 20)
        self.assertGreaterEqual(len(self.all("[data-list] > *")), 339)

    def test_a_page_that_loads_long_after_it_is_shown_keeps_its_place(self):
        place = self.go_deep()
        self.wait("the place is not noted", self.is_noted)
        # A picture that does not arrive holds the end of loading back, until sixty frames after the place is restored.
        self.home.feeds.movies_answer.clear()
        self.addCleanup(self.home.feeds.movies_answer.set)
        held = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": (
            "addEventListener('DOMContentLoaded', () => {"
            " const picture = new Image(); picture.src = '/search?feed=movies&q=held'; let left = 60; const look = () => {"
            "  if (document.querySelectorAll('[data-list] > *').length >= 340) left -= 1;"
            "  if (left > 0) requestAnimationFrame(look);"
            "  else { window.wasLoading = document.readyState === 'interactive'; picture.src = 'data:,' } };"
            " requestAnimationFrame(look) })")})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", held)
        self.browser.refresh()
        self.wait("the list does not come to rest", self.rests)
        self.assertTrue(self.script("return wasLoading"))
        self.assertTrue(self.is_at(place))

    def test_a_reload_restores_depth_and_place(self):
        place = self.go_deep()
        self.wait("the place is not noted", self.is_noted)
        self.browser.refresh()
        self.wait("depth and place are lost", lambda: self.is_at(place), 20)


class StaleTests(BrowserTest):
    feeds = ("ibotta", "facts")

    def setUp(self):
        self.set_size(PHONE)

    def change(self, rewards):
        self.home.feeds.ibotta_rewards = rewards
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        self.home.run("sync", "--quiet", "--force", "ibotta")

    def watch(self, path):
        self.open(path)
        self.wait("the page does not listen", lambda: self.script(
            "return document.documentElement.dataset.follows !== undefined"))

    def test_a_pill_tells_of_a_sync_by_the_command_line_within_two_seconds(self):
        for size, path in ((PHONE, "/feeds/ibotta"), (DESKTOP, "/")):
            self.set_size(size)
            self.change({})
            self.watch(path)
            self.assertEqual(self.all(".news-pill"), [])
            self.change({"900113": "$7.77 Cash Back", "900114": "$8.88 Cash Back"})
            self.wait_for(".news-pill", 2)
            self.assertEqual(self.find(".news-pill").text, "2 changed – Show")
            self.assertNotIn("$7.77", self.find("main").text)
            self.no_overflow()
            self.find(".news-pill").click()
            self.wait("the change is not shown", lambda: "$7.77" in self.find("main").text)
            self.assertEqual(self.all(".news-pill"), [])

    def test_the_pill_counts_the_offers_of_this_list_only(self):
        self.change({})
        self.watch("/feeds/facts")
        self.change({"900113": "$6.66 Cash Back"})
        self.home.run("favorite", "ibotta:900113")
        self.addCleanup(self.home.run, "favorite", "--remove", "ibotta:900113")
        time.sleep(1.5)
        self.assertEqual(self.all(".news-pill"), [])


class MovieErrorTests(BrowserTest):
    feeds = ("movies",)

    def setUp(self):
        self.set_size(PHONE)
        feeds = self.home.feeds
        feeds.movies_fail, feeds.movies_status, feeds.movies_failing_page = False, 503, None
        feeds.movies_answer.set()
        self.addCleanup(setattr, feeds, "movies_fail", False)
        self.addCleanup(setattr, feeds, "movies_status", 503)
        self.addCleanup(setattr, feeds, "movies_failing_page", None)
        self.addCleanup(setattr, feeds, "movies_words", feeds.movies_words)

    def check_alert(self, technical, words=None):
        dialog = self.wait_for("dialog[data-alert][open]")
        self.assertEqual(self.find("#alert-title").text, "The server could not be searched")
        text = self.find("#alert-text").text
        if words:
            self.assertEqual(text[: text.index("”") + 1], f"“{words}”", "the server's own words are not first")
            self.assertGreater(len(text), len(words) + 12, "what to do is missing")
        shown = [each.text for each in dialog.find_elements("css selector", ".button") if each.is_displayed()]
        self.assertEqual(shown, ["Try again"])
        self.find("[data-alert-close]").click()
        alert = self.find("main .problem")
        self.assertEqual(alert.find_element("css selector", "h2").text, "The server could not be searched")
        sentences = [each.text for each in alert.find_elements("css selector", "p") if each.is_displayed()]
        self.assertEqual(len(sentences), 1, sentences)
        self.assertNotRegex(sentences[0], r"https?:|\d{3}")
        buttons = [each.text for each in alert.find_elements("css selector", ".button") if each.is_displayed()]
        self.assertEqual(buttons, ["Try again"])
        details = alert.find_element("css selector", "details")
        self.assertIsNone(details.get_attribute("open"))
        details.find_element("css selector", "summary").click()
        self.assertIn(technical, details.text)

    def test_every_failure_of_the_movie_server_is_a_dialog_and_an_alert_above_the_stored_results(self):
        for status, words in ((401, "Invalid API key"), (500, "We broke"), (503, "Back soon")):
            with self.subTest(status=status):
                self.home.feeds.movies_fail, self.home.feeds.movies_status = True, status
                self.home.feeds.movies_words = words
                self.open("/search?feed=movies&q=night")
                self.check_alert(str(status), words)
                self.assertEqual(self.find(".stored-results").text, "Stored results")
                self.assertGreater(len(self.all(".results .card")), 0)
                self.assertGreater(self.rect(".stored-results")["y"], self.rect(".problem")["y"])
                self.no_overflow()
        self.home.feeds.movies_fail = False
        self.browser.refresh()
        self.wait("trying again does not help", lambda: not self.all("main .problem") and self.all(".results .card"))
        self.assertEqual(self.all(".stored-results"), [])

    def test_try_again_in_the_dialog_searches_again(self):
        self.home.feeds.movies_fail = True
        self.open("/search?feed=movies&q=night")
        self.wait_for("dialog[data-alert][open]")
        self.home.feeds.movies_fail = False
        self.find("[data-alert-again]").click()
        self.wait("trying again does not help", lambda: not self.all("main .problem") and self.all(".results .card"))

    def test_a_search_that_finds_nothing_says_so_in_a_dialog_with_the_noun_of_the_feed_once(self):
        for path, title in (("/search?feed=movies&q=zzyzxq", "No movie found for “zzyzxq”"),
                            ("/search?q=zzyzxq", "No movie found for “zzyzxq”")):
            self.open(path)
            self.wait_for("dialog[data-alert][open]")
            self.assertEqual(self.find("#alert-title").text, title)
            self.assertIn("different words", self.find("#alert-text").text)
            self.find("[data-alert-close]").click()
            self.assertEqual(self.find(".empty h2").text, title)
            self.browser.refresh()
            self.wait_ready()
            self.assertEqual(self.all("dialog[open]"), [])

    def test_a_hanging_movie_server_shows_progress_and_then_an_alert(self):
        # The test waits as long as a person does: five seconds for a sign, at most fifteen for the alert.
        self.open("/feeds/movies")
        self.wait_ready()
        self.home.feeds.movies_answer.clear()
        self.addCleanup(self.home.feeds.movies_answer.set)
        self.find(".searchbox [name=q]").send_keys("night")
        # The driver answers no question while the next page is on its way: the page itself notes what it shows.
        begun = time.monotonic()
        self.script("const begun = Date.now(); new MutationObserver(() => {"
                    " const line = document.querySelector('[data-progress]');"
                    " if (!line.hidden) sessionStorage.line ??= Date.now() - begun;"
                    " if (document.querySelector('[data-toasts]').textContent.includes('Still waiting'))"
                    "  sessionStorage.words ??= Date.now() - begun;"
                    "}).observe(document.body, {attributes: true, childList: true, subtree: true});"
                    "document.querySelector('.searchbox').requestSubmit()")
        self.wait_for("main .problem", 20)
        self.assertLess(time.monotonic() - begun, 15)
        line, words = self.script("return [Number(sessionStorage.line), Number(sessionStorage.words)]")
        self.assertTrue(0 < line < 1500, line)
        self.assertTrue(4000 < words < 5500, words)
        self.check_alert("in time")
        self.assertEqual(self.find(".stored-results").text, "Stored results")

    def test_a_failing_second_page_is_an_alert_and_not_the_end(self):
        self.home.feeds.movies_failing_page = 2
        self.open("/search?feed=movies&q=quiet")
        self.wait_ready()
        count = len(self.all(".results .card"))
        self.script("document.querySelector('[data-more]').scrollIntoView()")
        alert = self.wait_for(".more [role=alert]")
        self.assertIn("The next page could not be loaded", alert.text)
        self.assertEqual(self.find("[data-more]").text, "Try again")
        self.assertEqual(self.all(".list-end"), [])
        self.assertEqual(len(self.all(".results .card")), count)
        self.home.feeds.movies_failing_page = None
        self.script("document.querySelector('[data-more]').click()")
        self.wait("nothing more came", lambda: len(self.all(".results .card")) > count)
        self.assertEqual(self.all(".more [role=alert]"), [])


class MovieLimitTests(BrowserTest):
    feeds = ("movies",)

    def test_a_movie_server_that_asks_to_wait_is_left_alone_and_its_stored_results_are_shown(self):
        feeds = self.home.feeds
        self.addCleanup(setattr, feeds, "movies_fail", False)
        self.addCleanup(setattr, feeds, "movies_status", 503)
        feeds.movies_fail, feeds.movies_status = True, 429
        for words in ("429", "asked to wait until"):
            self.open("/search?feed=movies&q=night")
            self.assertIn(words, self.wait_for("main .problem").get_attribute("textContent"))
            self.assertGreater(len(self.all(".results .card")), 0)
            # The server would answer again.
            feeds.movies_fail = False


class BackLinkTests(BrowserTest):
    feeds = ("ibotta",)

    def test_a_link_leads_back_at_every_width(self):
        for sizes in ((PHONE, (820, 1180)), ((900, 700), (1180, 820)), ((1920, 1080), DESKTOP)):
            self.set_size(sizes[0])
            self.open("/feeds/ibotta")
            self.wait_ready()
            card = self.find(".card-link")
            # From 1440 pixels on, a press opens the offer beside its list.
            if sizes[0][0] < 1440:
                card.click()
            else:
                self.open(card.get_attribute("href").removeprefix(self.home.base))
            self.wait_for("[data-back]")
            self.wait_ready()
            for size in sizes:
                with self.subTest(size=size):
                    self.set_size(size)
                    back = self.find("[data-back]")
                    self.assertTrue(back.is_displayed())
                    self.assertGreaterEqual(back.size["height"], 44)
                    self.no_overflow(str(size))
            back.click()
            self.wait("Back does not lead to the list", lambda: self.browser.current_url.endswith("/feeds/ibotta"))


class ErrorTextTests(BrowserTest):
    feeds = ("ibotta", "movies")

    def test_a_failed_refresh_says_one_sentence_and_keeps_the_rest_behind_details(self):
        self.set_size(PHONE)
        self.open("/settings/feeds")
        self.wait_ready()
        self.home.feeds.movies_fail = True
        self.addCleanup(setattr, self.home.feeds, "movies_fail", False)
        self.script("document.querySelector('[data-feed=movies] [data-refresh=movies]').click()")
        dialog = self.wait_for("dialog[open]")
        self.assertTrue(self.find("#alert-text").text.startswith("“The movie server is being repaired.”"))
        self.assertNotRegex(self.find("#alert-text").text, r"https?:|\d{3}")
        shown = [each.text for each in self.all("dialog .button") if each.is_displayed()]
        self.assertEqual(len(shown), 1, shown)
        details = dialog.find_element("css selector", "details")
        self.assertIsNone(details.get_attribute("open"))
        details.find_element("css selector", "summary").click()
        self.assertIn("503", details.text)
        self.find("[data-alert-close]").click()
        self.open("/settings/feeds")
        self.assertNotRegex(self.find("[data-feed=movies] .feed-error").text, r"https?:|\d{3}")
        self.find("[data-feed=movies] .technical summary").click()
        self.assertIn("503", self.find("[data-feed=movies] .technical p").text)
