"""The household list: two users, each in a browser of their own."""

import unittest

import home
import test_login
from home import DESKTOP, BrowserTest

ANA, BEN = "correct horse battery", "blue monkey tree 7"
SHARED, OTHER = "ibotta:900117", "ibotta:900116"
PHONE = (390, 844)


class HouseholdTests(BrowserTest):
    feeds = ("ibotta",)

    stored = test_login.LoginTests.stored

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.run("user", "rename", "owner", "Ana")
        cls.home.run("user", "passphrase", "Ana", text=ANA + "\n")
        cls.home.run("user", "add", "Ben")
        cls.home.run("user", "passphrase", "Ben", text=BEN + "\n")
        cls.first = cls.browser
        cls.second = home.chromium()

    @classmethod
    def tearDownClass(cls):
        cls.second.quit()
        cls.browser = cls.first
        super().tearDownClass()

    def setUp(self):
        for browser, name, passphrase in ((self.second, "ben", BEN), (self.first, "ana", ANA)):
            self.use(browser)
            self.browser.delete_all_cookies()
            self.open("/login?next=/")
            self.find("[name=name]").send_keys(name)
            self.find("[name=passphrase]").send_keys(passphrase)
            self.find("form[action='/login'] button").click()
            self.wait("the login does not redirect", lambda: self.browser.current_url == self.home.base + "/")
            self.wait_worker()
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

    def test_the_buttons_work_by_forms_alone(self):
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.open(f"/offers/{OTHER}")
            self.find("[data-sharing] button").click()
            self.wait("it is not shared", lambda: "Shared by Ana" in self.find(".household").text)
            self.open("/household")
            self.assertIn("Added by Ana", self.find("main").text)
            self.find(".unshare button").click()
            self.wait("it is not taken off",
                      lambda: "Nothing is shared yet" in self.find("main").text)
        finally:
            self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.assertIn(OTHER, self.home.favorites())

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
        self.open("/login?next=/")
        self.find("[name=name]").send_keys("ben")
        self.find("[name=passphrase]").send_keys(BEN)
        self.find("form[action='/login'] button").click()
        self.wait("Ana's list is stored", lambda: "/household" not in self.stored())

    def test_the_list_and_the_section_fit_in_both_themes(self):
        self.home.run("household", "add", SHARED, OTHER, "900113", "900150", "900156")
        self.home.run("household", "add", SHARED, "900113", "--user", "Ben")
        for path in ("/household", f"/offers/{SHARED}", "/"):
            self.open(path)
            self.wait_ready()
            for size, mode in self.looks((PHONE, DESKTOP, (320, 640), (900, 700))):
                self.no_overflow(path)
                self.assertEqual(self.violations(), [], path)
                self.assertEqual(self.small_texts(), [], f"{path} {size}")
                self.assertEqual(self.broken_labels(), [], f"{path} {size}")
                name = {"/household": "list", "/": "grid"}.get(path, "offer")
                self.shoot(f"household-{name}-{mode}")

    def small_texts(self):
        """The visible texts of less than 13 pixels."""
        return self.script(
            "return [...document.body.querySelectorAll('*')].filter((each) => each.checkVisibility()"
            " && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())"
            " && parseFloat(getComputedStyle(each).fontSize) < 13).map((each) => each.textContent)")

    def broken_labels(self):
        """The labels of the menu and of the list's buttons that take more than one line, or are cut off."""
        return self.script(
            "return [...document.querySelectorAll('.tabs span, .unshare button')].filter((each) => {"
            " const range = document.createRange(); range.selectNodeContents(each);"
            " const lines = new Set([...range.getClientRects()].map(({top}) => Math.round(top)));"
            " const {left, right} = range.getBoundingClientRect();"
            " return lines.size > 1 || left < 0 || right > innerWidth }).map((each) => each.textContent)")


if __name__ == "__main__":
    unittest.main()
