"""The household list: two users, each in a browser of their own."""

import home
from home import DESKTOP, PHONE, UserTest

SHARED, OTHER = "ibotta:900117", "ibotta:900116"


class HouseholdTests(UserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.first = cls.browser
        cls.second = home.chromium()

    @classmethod
    def tearDownClass(cls):
        cls.second.quit()
        cls.browser = cls.first
        super().tearDownClass()

    def setUp(self):
        for browser, name in ((self.second, "ben"), (self.first, "ana")):
            self.use(browser)
            self.browser.delete_all_cookies()
            self.log_in(name)
        for offer in self.shared():
            self.home.run("household", "remove", offer)

    def use(self, browser):
        """Makes a browser the one that the methods of the base class use."""
        type(self).browser = browser
        self.set_size(PHONE)

    def shared(self):
        return [offer for offer in (SHARED, OTHER) if offer in self.home.run("household")]

    def press(self, label):
        self.script(
            "[...document.querySelectorAll('[data-sharing] button')]"
            ".find((each) => each.textContent.trim() === arguments[0]).click()", label)

    def test_an_offer_is_shared_seen_and_taken_off_and_the_favorite_stays(self):
        self.use(self.second)
        self.open("/household")
        self.wait_ready()
        self.assertIn("Nothing is shared yet", self.find("main").text)
        self.use(self.first)
        self.open(f"/offers/{SHARED}")
        self.wait_ready()
        self.press("Share with the household")
        self.wait("Ana is not named", lambda: "Shared by Ana" in self.find(".household").text)
        self.assertIn(SHARED, self.home.favorites())
        self.wait("the star is not set", lambda: self.find("[data-star]").get_attribute("aria-pressed") == "true")
        # Ben's open page follows without a reload.
        self.use(self.second)
        self.wait("Ben does not see it", lambda: "Added by Ana" in self.find("main").text)
        self.assertEqual(self.find("[data-star]").get_attribute("aria-pressed"), "false")
        self.press("Take off the list")
        self.wait("it is not taken off", lambda: "Nothing is shared yet" in self.find("main").text)
        self.assertEqual(self.shared(), [])
        self.use(self.first)
        self.wait("Ana's page does not follow", lambda: "Share with the household" in self.find(".household").text)
        self.open("/favorites")
        self.assertIn("Harvest Row", self.find("main").text)
        self.assertIn(SHARED, self.home.favorites())

    def test_without_the_server_the_list_is_as_last_opened_and_another_login_deletes_it(self):
        self.home.run("household", "add", SHARED)
        self.open("/household")
        self.wait("the page is not stored", lambda: "/household" in self.stored())
        self.wait("the offers are not stored", lambda: self.stored_offers() is not None)
        self.home.stop()
        self.open("/household")
        self.assertIn("Added by Ana", self.find("main").text)
        self.open("/favorites")
        self.assertEqual(len(self.all("nav a[href='/household']")), 1)
        self.home.start()
        self.browser.delete_all_cookies()
        self.log_in("ben")
        self.wait("Ana's list is stored", lambda: "/household" not in self.stored())

    def test_the_list_and_the_section_fit_in_both_themes(self):
        self.home.run("household", "add", SHARED, OTHER, "900113", "900150", "900156")
        self.home.run("household", "add", SHARED, "900113", "--user", "Ben")
        for path in ("/household", f"/offers/{SHARED}", "/"):
            self.open(path)
            self.wait_ready()
            self.check_looks(path, (PHONE, DESKTOP, (320, 640), (900, 700)))
