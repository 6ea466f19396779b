"""Wide screens: the sidebar, an offer in a column beside its list, and single keys."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from home import DESKTOP, PHONE, BrowserTest

TABLET = (820, 1180)
WIDE = (1600, 900)
LARGE = (2200, 1200)


class WideTest(BrowserTest):
    def wait_ready(self):
        """Waits for the scripts that only wide screens load, as well."""
        super().wait_ready()
        self.wait_wide_scripts()

    def wait_wide_scripts(self):
        self.browser.execute_async_script(
            "const {src} = document.querySelector('script[type=module]');"
            "import(src.replace('/app.js', '/keyboard.js')).finally(arguments[0])")


class SidebarTests(BrowserTest):
    def test_a_sidebar_has_the_menu_and_the_feeds_with_their_counts(self):
        for size in (DESKTOP, WIDE):
            self.set_size(size)
            self.open("/feeds/albums")
            self.wait_ready()
            rows = [" ".join(each.text.split()) for each in self.all(".side-feeds li")]
            self.assertEqual(len(rows), 5)
            self.assertIn("Top Albums 60", rows)
            self.assertEqual(self.find(".side-feeds [aria-current] bdi").text, "Top Albums")
            self.assertEqual([each.text for each in self.all(".tabs a")], ["Offers", "Favorites", "New", "Settings"])
            self.assertFalse(self.find(".chips").is_displayed())
            # The content begins beside the sidebar.
            side = self.rect(".sidebar")
            self.assertGreaterEqual(self.rect("h1")["x"], side["right"])
            self.assertLessEqual(self.rect("[data-list]")["right"], size[0])
            self.no_overflow()
        self.find(".side-feeds a[href='/feeds/facts']").click()
        self.wait("the feed does not open", lambda: self.browser.current_url.endswith("/feeds/facts"))

    def test_smaller_screens_have_no_sidebar(self):
        for size in (PHONE, TABLET):
            self.set_size(size)
            self.open("/feeds/albums")
            self.wait_ready()
            self.assertFalse(self.find(".side-feeds").is_displayed())
            self.assertTrue(self.find(".chips").is_displayed())

    def test_the_sidebar_is_there_without_the_server(self):
        self.set_size(DESKTOP)
        self.open("/")
        self.wait_worker()
        self.wait_stored()
        self.home.stop()
        self.addCleanup(self.home.start)
        self.open("/feeds/albums")
        self.assertIn("Top Albums", self.find(".side-feeds [aria-current]").text)


class ColumnTests(WideTest):
    def setUp(self):
        self.set_size(WIDE)

    def path(self):
        return self.script("return location.pathname")

    def card(self, number):
        return self.all("main .card-link")[number]

    def enter(self, number):
        """Opens a card by a key where the page is: Back skips what a script has added to the history, in WebKit."""
        self.script("arguments[0].focus({preventScroll: true})", self.card(number))
        ActionChains(self.browser).send_keys(Keys.ENTER).perform()

    def title(self):
        shown = self.all(".column article h1")
        return shown[0].text if shown else None

    def wait_shown(self, href):
        self.wait(f"the column does not show {href}", lambda: self.path() == href and self.all(
            f".column article [data-star='{href.removeprefix('/offers/')}']"))

    def show(self, path):
        self.open(path)
        self.wait_ready()
        return [self.script("return arguments[0].pathname", each) for each in self.all("main .card-link")[:6]]

    def test_an_offer_opens_beside_its_list_with_an_address_of_its_own(self):
        for path in ("/all", "/feeds/ibotta", "/feeds/restaurants", "/feeds/facts", "/feeds/albums", "/feeds/movies",
                     "/favorites", "/search?q=coffee", "/changes?kind=new"):
            with self.subTest(path=path):
                if path == "/favorites":
                    self.home.run("favorite", "ibotta:900113")
                if path.startswith("/changes"):
                    continue
                hrefs = self.show(path)
                self.card(0).click()
                self.wait_shown(hrefs[0])
                self.assertTrue(self.find("main [data-list]").is_displayed())
                self.assertLessEqual(self.rect("main")["right"], self.rect(".column")["x"] + 1)
                self.no_overflow(path)
                self.find(".column-close").click()
                self.wait("the column stays", lambda: not self.all(".column"))
                self.assertEqual(self.path(), path.split("?")[0])

    # The fields and buttons of the page whose middle something else covers.
    COVERED = """
      return [...document.querySelectorAll("input, select, button, a.round, .column-close")].filter((each) => {
        // What is to the side in a rail is scrolled into view.
        if (!each.checkVisibility({visibilityProperty: true}) || each.type === "hidden" || each.closest(".rail")) return false;
        const {x, y, width, height} = each.getBoundingClientRect();
        const [left, top] = [x + width / 2, y + height / 2];
        if (top < 0 || top > innerHeight) return false;
        if (left > innerWidth) return true;
        const found = document.elementFromPoint(left, top);
        return found && !each.contains(found) && !found.contains(each) && !found.closest(".bar, .offline-bar");
      }).map((each) => each.outerHTML.slice(0, 120))"""

    def test_the_column_covers_no_field_with_and_without_the_server(self):
        self.open("/")
        self.wait_worker()
        self.wait_stored()
        self.addCleanup(self.home.start)
        for is_up in (True, False):
            if not is_up:
                self.home.stop()
            for size in ((1440, 900), (1920, 1080)):
                self.set_size(size)
                for path in ("/", "/all", "/feeds/movies", "/search?q=coffee"):
                    with self.subTest(path=path, size=size, is_up=is_up):
                        hrefs = self.show(path)
                        if not is_up:
                            self.wait_for(".offline-bar:not([hidden])")
                        self.card(0).click()
                        self.wait_shown(hrefs[0])
                        self.wait_still()
                        self.assertEqual(self.script(self.COVERED), [])
                        bar = self.rect(".bar")
                        self.assertGreaterEqual(self.rect(".column")["y"], bar["bottom"])
                        self.assertGreaterEqual(self.rect(".sidebar")["y"], bar["bottom"])
                        self.no_overflow(path)

    def test_a_renewal_renews_the_list_beside_the_column(self):
        hrefs = self.show("/feeds/ibotta")
        self.card(0).click()
        self.wait_shown(hrefs[0])
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        self.home.feeds.ibotta_rewards = {"900114": "$6.25 Cash Back"}
        self.home.run("sync", "--quiet", "--force", "ibotta")
        self.wait_for(".news-pill").click()
        self.wait("the list is not renewed", lambda: "$6.25" in self.find("main [data-list]").text)
        self.assertTrue(self.all(".column article"))
        self.assertEqual(len(self.all(".card.is-open")), 1)
        self.find(".column-close").click()
        self.wait("the column stays", lambda: not self.all(".column"))
        self.assertEqual(self.path(), "/feeds/ibotta")

    def test_back_leads_through_the_offers_to_the_list_and_its_place(self):
        hrefs = self.show("/feeds/ibotta")
        self.script("scrollTo(0, 500)")
        before = self.rect(f"main [href='{hrefs[0]}']")["y"]
        self.enter(2)
        self.wait_shown(hrefs[2])
        self.enter(3)
        self.wait_shown(hrefs[3])
        self.browser.back()
        self.wait_shown(hrefs[2])
        self.browser.back()
        self.wait("the column stays", lambda: not self.all(".column") and self.path() == "/feeds/ibotta")
        self.wait("the list is at another place", lambda: abs(self.rect(f"main [href='{hrefs[0]}']")["y"] - before) < 300)
        self.browser.forward()
        self.wait_shown(hrefs[2])
        # The button leads to the list from any depth.
        self.enter(4)
        self.wait_shown(hrefs[4])
        self.find(".column-close").click()
        self.wait("the column stays", lambda: not self.all(".column") and self.path() == "/feeds/ibotta")
        self.assertTrue(self.find("main [data-list]").is_displayed())

    def test_a_reload_shows_the_page_of_the_offer_and_back_the_list(self):
        hrefs = self.show("/feeds/ibotta")
        self.card(1).click()
        self.wait_shown(hrefs[1])
        self.browser.refresh()
        self.wait_for("main article.offer")
        self.assertEqual(self.all(".column"), [])
        self.assertEqual(self.path(), hrefs[1])
        self.browser.back()
        self.wait("the list does not come back", lambda: self.path() == "/feeds/ibotta" and self.all("main [data-list] .card"))
        self.assertEqual(self.all(".column"), [])

    def test_escape_closes_it_and_the_card_has_the_focus_again(self):
        hrefs = self.show("/feeds/ibotta")
        self.card(1).send_keys(Keys.ENTER)
        self.wait_shown(hrefs[1])
        self.wait("the column has no focus", lambda: self.script(
            "return document.activeElement.classList.contains('column')"))
        ActionChains(self.browser).send_keys(Keys.ESCAPE).perform()
        self.wait("the column stays", lambda: not self.all(".column"))
        self.assertEqual(self.script("return document.activeElement.pathname"), hrefs[1])

    def test_a_star_in_the_column_is_that_of_the_card(self):
        hrefs = self.show("/feeds/ibotta")
        self.card(5).click()
        self.wait_shown(hrefs[5])
        ref = hrefs[5].removeprefix("/offers/")
        self.find(".column [data-star]").click()
        self.wait("the card's star is not set", lambda: self.find(
            f"main [data-star='{ref}']").get_attribute("aria-pressed") == "true")

    def test_without_the_server_the_column_shows_what_is_stored(self):
        self.open("/")
        self.wait_worker()
        self.wait_stored()
        self.home.stop()
        self.addCleanup(self.home.start)
        hrefs = self.show("/feeds/ibotta")
        self.card(1).click()
        self.wait_shown(hrefs[1])


class KeyTests(WideTest):
    feeds = ("ibotta",)

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def at(self):
        return self.script("return document.activeElement.pathname ?? document.activeElement.name ?? ''")

    def test_keys_step_through_the_offers_star_and_open_them(self):
        self.set_size(DESKTOP)
        self.open("/feeds/ibotta")
        self.wait_ready()
        hrefs = [self.script("return arguments[0].pathname", each) for each in self.all("main .card-link")[:3]]
        self.press("j")
        self.assertEqual(self.at(), hrefs[0])
        self.press("j")
        self.press("j")
        self.press("k")
        self.assertEqual(self.at(), hrefs[1])
        ref = hrefs[1].removeprefix("/offers/")
        self.press("s")
        self.wait("the star is not set", lambda: ref in self.home.favorites())
        self.press("s")
        self.wait("the star stays", lambda: ref not in self.home.favorites())
        self.press("o")
        self.wait("the offer does not open", lambda: self.browser.current_url.endswith(hrefs[1]))

    def test_a_slash_goes_to_the_search_and_typing_is_left_alone(self):
        self.set_size(DESKTOP)
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.press("/")
        self.assertEqual(self.at(), "q")
        self.press("jokes?")
        self.assertEqual(self.script("return document.activeElement.value"), "jokes?")
        self.assertEqual(self.all("dialog[open]"), [])

    def test_a_question_mark_shows_the_keys(self):
        self.set_size(DESKTOP)
        self.open("/")
        self.wait_ready()
        self.press("?")
        box = self.wait_for(".keys-box[open]")
        for word in ("Search", "Next offer", "Open the offer"):
            self.assertIn(word, box.text)
        self.press("j")
        self.assertTrue(self.find(".keys-box[open]"))
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all("dialog[open]"), [])

    def test_the_keys_can_be_switched_off(self):
        self.set_size(DESKTOP)
        self.open("/settings/browser")
        self.wait_for("[data-keys-setting]:not([hidden])")
        self.find("[data-keys-switch]").click()
        self.addCleanup(self.script, "localStorage.removeItem('keys')")
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.press("j")
        self.assertEqual(self.at(), "")

    def test_keys_move_the_offer_in_the_column(self):
        self.set_size(WIDE)
        self.open("/feeds/ibotta")
        self.wait_ready()
        hrefs = [self.script("return arguments[0].pathname", each) for each in self.all("main .card-link")[:3]]
        self.press("j")
        self.press("o")
        self.wait("the column does not open", lambda: self.all(".column article") and self.browser.current_url.endswith(hrefs[0]))
        length = self.script("return history.length")
        self.press("j")
        self.wait("the column does not follow", lambda: self.browser.current_url.endswith(hrefs[1]))
        self.assertEqual(self.script("return history.length"), length)
        self.press(Keys.ESCAPE)
        self.wait("the column stays", lambda: not self.all(".column"))

    def test_a_held_key_requests_only_the_offer_at_which_it_is_let_go(self):
        self.set_size(WIDE)
        self.open("/feeds/ibotta")
        self.wait_ready()
        last = self.script("return arguments[0].pathname", self.all("main .card-link")[9])
        self.press("j")
        self.press("o")
        self.wait("the column does not open", lambda: self.all(".column article"))
        asked = ("return performance.getEntriesByType('resource')"
                 ".filter(({name}) => new URL(name).pathname.startsWith('/offers/')).length")
        before = self.script(asked)
        self.script(
            "for (let number = 0; number < 9; number += 1)"
            " document.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}))")
        self.wait("the column does not follow", lambda: self.browser.current_url.endswith(last))
        self.wait("the offer is not shown", lambda: self.script(asked) > before)
        self.assertEqual(self.script(asked), before + 1)
