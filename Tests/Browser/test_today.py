"""The start page of several feeds: rails of cards, on all screens and without the server."""

from home import PHONE, BrowserTest, UserTest
from test_offline import OfflineBase
from test_stars import REF
from test_wide import WideTest

LANDSCAPE = (844, 390)
TABLET = (820, 1180)
WIDE = (1440, 900)
FEEDS = ("ibotta", "restaurants", "facts", "albums", "movies")


class TodayBase(OfflineBase):
    feeds = FEEDS

    def setUp(self):
        super().setUp()
        self.set_size(PHONE)

    def titles(self):
        return [each.text for each in self.all(".rail h2")]

    def raise_favorites(self):
        """Two favorites go up by $9.00 together, and one comes back."""
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        self.home.run("favorite", "ibotta:900113", "ibotta:900122", "ibotta:900119")
        for returned in (None, "$2.50 Cash Back"):
            self.home.feeds.ibotta_rewards = {
                "900113": "$4.00 Cash Back", "900122": "$9.25 Cash Back", "900119": returned}
            self.home.run("sync", "--quiet", "--force", "ibotta")


class RailTests(TodayBase):
    def test_offers_opens_as_rails_with_show_all_behind_each(self):
        self.raise_favorites()
        self.open("/")
        self.wait_ready()
        self.assertEqual(self.find("h1").text, "Today")
        self.assertEqual(self.titles()[0], "Your favorites")
        self.assertEqual(self.find(".rail .count").text, "2 went up, +$9.00 · 1 came back")
        self.assertEqual(self.find(".tabs [aria-current]").text, "Offers")
        self.assertEqual(len(self.titles()), 1 + len(FEEDS))
        for number in range(len(self.titles())):
            link = self.all(".rail-head a")[number]
            address = link.get_attribute("href")
            self.script("arguments[0].click()", link)
            self.wait("the link leads elsewhere", lambda: self.browser.current_url == address)
            self.assertTrue(self.all("main .card"))
            self.browser.back()
            self.wait("the page does not come back", lambda: self.titles())

    def test_rails_fit_all_screens_in_both_schemes(self):
        self.raise_favorites()
        self.open("/")
        self.wait_ready()
        self.check_looks("/", sizes=(PHONE, LANDSCAPE, TABLET, WIDE))

    def test_a_rail_is_scrolled_to_the_side_and_the_page_is_not(self):
        for size in (PHONE, LANDSCAPE, TABLET, WIDE):
            self.set_size(size)
            self.open("/")
            self.wait_ready()
            self.no_overflow(str(size))
            for kind in ("grid", "tiles", "rows", "covers", "posters"):
                way, high, low = self.script(
                    "const row = document.querySelector(`.rail > ul.${arguments[0]}`); row.scrollLeft = 1e6;"
                    "const tops = [...row.children].map((each) => each.getBoundingClientRect().top);"
                    "return [row.scrollLeft, Math.min(...tops), Math.max(...tops)]", kind)
                self.assertGreater(way, 300, (size, kind))
                self.assertEqual(high, low, (size, kind))

    def test_only_pictures_that_come_near_the_screen_are_fetched(self):
        self.open("/")
        self.wait_ready()
        self.wait("no picture is shown", lambda: self.all(".rail .is-loaded"))
        waiting = len(self.all(".rail [data-late]"))
        self.assertGreater(waiting, 30)
        self.script("document.querySelector('.rail > ul').scrollLeft = 1e6")
        self.wait("the pictures of the rail are not fetched", lambda: len(self.all(".rail [data-late]")) < waiting)

    def test_a_renewal_keeps_the_place_in_a_rail(self):
        self.open("/")
        self.wait_ready()
        self.wait("the page does not follow", lambda: self.script("return 'follows' in document.documentElement.dataset"))
        self.script("document.querySelector('.rail > .covers').scrollLeft = 340")
        place = self.script("return document.querySelector('.rail > .covers').scrollLeft")
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        self.home.feeds.ibotta_rewards = {"900114": "$6.25 Cash Back"}
        self.home.run("sync", "--quiet", "--force", "ibotta")
        self.wait_for(".news-pill").click()
        self.wait("the page is not renewed", lambda: "$6.25" in self.find("main").text)
        self.assertEqual(self.script("return document.querySelector('.rail > .covers').scrollLeft"), place)

    def test_a_card_opens_as_in_its_list(self):
        self.open("/")
        self.wait_ready()
        self.press(".rail > .covers .card-link")
        self.wait_for("dialog.sheet[open] .facts")
        self.set_size(WIDE)
        self.open("/")
        self.wait_ready()
        WideTest.wait_wide_scripts(self)
        self.press(".rail > .tiles .card-link")
        self.wait_for(".column article")
        self.assertLessEqual(self.rect("main")["right"], self.rect(".column")["x"] + 1)
        self.no_overflow()


class OneFeedTests(BrowserTest):
    feeds = ("albums",)

    def test_one_feed_opens_as_its_list(self):
        self.open("/")
        self.assertEqual(self.find("h1").text, "Offers")
        self.assertTrue(self.all("main [data-list] .card"))
        self.assertEqual(self.all(".rail"), [])


class OfflineTodayTests(TodayBase):
    def test_the_rails_are_there_without_the_server(self):
        self.raise_favorites()
        # Another page is the first one: this one is made from what is stored.
        self.open("/feeds/facts")
        self.wait_worker()
        self.wait_stored()
        self.home.stop()
        self.open("/")
        self.wait_for(".offline-bar:not([hidden])")
        self.assertEqual(len(self.titles()), 1 + len(FEEDS))
        self.assertEqual(self.find(".rail .count").text, "2 went up, +$9.00 · 1 came back")
        self.assertEqual(len(self.all(".rail:first-of-type .card")), 3)
        self.assertEqual(len(self.all(".rail:first-of-type .star[aria-pressed=true]")), 3)
        self.press(".rail-head a[href='/feeds/albums']")
        self.wait("the feed does not open", lambda: self.all(".covers[data-list] .card"))


class OfflineSettingsTests(UserTest):
    """The pages without offers, none of which was visited before the server stopped."""

    feeds = ("ibotta", "facts")

    def test_settings_web_and_household_open_without_the_server_and_the_theme_is_chosen(self):
        self.log_in("ana")
        self.open("/offers/" + REF)
        self.wait_ready()
        self.press("[data-sharing] button")
        self.wait("the offer is not shared", lambda: "Shared by" in self.find("main").text)
        self.open("/favorites")
        self.wait("the list is not stored", lambda: self.offline_cards() == 1)
        self.home.stop()
        self.addCleanup(self.home.start)
        self.open("/settings")
        self.wait_for(".offline-bar:not([hidden])")
        self.assertEqual(self.find("h1").text, "Settings")
        for title in ("Feeds", "This browser", "About", "Web"):
            self.assertIn(title, self.find("main").text)
        for section in ("feeds", "people", "devices", "about"):
            self.open(f"/settings/{section}")
            self.assertEqual(self.find("h1").text, section.capitalize())
            self.assertTrue(self.find(".back").get_attribute("href").endswith("/settings"))
        self.open("/settings/browser")
        self.wait_ready()
        self.choose_dark()
        self.open("/household")
        self.assertEqual([each.get_attribute("data-ref") for each in self.all("main .card")], [REF])
        self.assertIn("Added by Ana", self.find("main .card").text)
        self.open("/web")
        self.wait_ready()
        self.assertTrue(self.find(".address").is_displayed())

    def test_the_theme_is_chosen_even_where_nothing_is_stored(self):
        self.log_in("ana", "/favorites")
        self.wait_stored()
        self.open("/settings/devices")
        self.wait_ready()
        self.find("form[action='/logout'] button").click()
        self.wait("the logout does not end", lambda: "/login" in self.browser.current_url)
        self.home.stop()
        self.addCleanup(self.home.start)
        self.open("/favorites")
        self.assertEqual(self.find("h1").text, "You are offline")
        self.open("/settings/browser")
        self.wait_ready()
        self.choose_dark()

    def choose_dark(self):
        self.addCleanup(self.script, "localStorage.clear()")
        self.press("[name=theme][value=dark]")
        self.wait("the theme stays", lambda: self.script(
            "return getComputedStyle(document.documentElement).backgroundColor") == "rgb(16, 18, 20)")
        self.press("[name=theme][value='']")

    def offline_cards(self):
        """The number of offers that the stored household list names."""
        return self.browser.execute_async_script(
            "const done = arguments[0]; const opening = indexedDB.open('offers-feeds');"
            "opening.onsuccess = () => { opening.result.transaction('values').objectStore('values').get('list')"
            ".onsuccess = ({target}) => { opening.result.close();"
            " done(target.result?.frames.get('/household')?.fields.cards.length ?? 0) } }")
