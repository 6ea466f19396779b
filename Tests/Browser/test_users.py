"""Two users of one server, in one browser."""

import unittest

import test_login
from home import DESKTOP, PHONE, BrowserTest

ANA, BEN = "correct horse battery", "blue monkey tree 7"
STAR, OTHER = "ibotta:900117", "ibotta:900118"


class UserTests(BrowserTest):
    feeds = ("ibotta",)

    stored = test_login.LoginTests.stored
    violations = test_login.LoginTests.violations

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.run("user", "rename", "owner", "Ana")
        cls.home.run("user", "passphrase", "Ana", text=ANA + "\n")
        cls.home.run("user", "add", "Ben")
        cls.home.run("user", "passphrase", "Ben", text=BEN + "\n")

    def setUp(self):
        self.browser.delete_all_cookies()
        self.set_size(PHONE)

    def log_in(self, name, passphrase):
        self.open("/login?next=/")
        self.find("[name=name]").send_keys(name)
        self.find("[name=passphrase]").send_keys(passphrase)
        self.find("form[action='/login'] button").click()
        self.wait("the login does not redirect", lambda: self.browser.current_url == self.home.base + "/")
        self.wait_worker()

    def star(self, ref):
        self.open("/")
        self.wait_ready()
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", ref)

    def test_a_login_as_another_leaves_nothing_of_the_first(self):
        self.log_in("ana", ANA)
        self.star(STAR)
        self.wait("the star is not sent", lambda: STAR in self.home.favorites())
        self.open("/favorites")
        self.wait("the page is not stored", lambda: "/favorites" in self.stored())
        self.script("localStorage.setItem('web-home', 'https://ana.example/')")
        # A star that Ana sets while the server is stopped waits in the browser.
        self.open("/")
        self.wait_ready()
        self.home.stop()
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", OTHER)
        self.wait("the star does not wait", lambda: OTHER in self.stored())
        # Her session ends elsewhere, and Ben logs in.
        self.browser.delete_all_cookies()
        self.home.start()
        self.log_in("ben", BEN)
        self.wait("Ana's data is stored", lambda: "/favorites" not in self.stored())
        self.open("/favorites")
        self.wait_ready()
        self.assertNotIn(STAR, self.browser.page_source)
        self.assertIsNone(self.script("return localStorage.getItem('web-home')"))
        self.wait("Ana's star waits", lambda: OTHER not in self.own_stars())
        self.assertEqual(self.home.run("list", "--favorites", "--user", "Ben").count("ibotta:"), 0)
        # While the server is stopped, Ben sees none of hers either.
        self.wait("Ben's list is not stored", lambda: (self.stored_offers() or {}).get("refs") == [], 30)
        self.home.stop()
        self.open("/favorites")
        self.assertNotIn("Harvest Row", self.browser.page_source)
        self.home.start()

    def own_stars(self):
        """The stars that wait to be sent."""
        return self.browser.execute_async_script(
            "const done = arguments[0]; const opening = indexedDB.open('offers');"
            " opening.onsuccess = () => { const keys = opening.result.transaction('stars')"
            ".objectStore('stars').getAllKeys(); keys.onsuccess = () => { opening.result.close();"
            " done(keys.result) } }")

    def test_a_page_that_is_still_open_changes_nothing_of_another_user(self):
        self.log_in("ana", ANA)
        self.open("/")
        self.wait_ready()
        mine = self.browser.get_cookies()
        before = self.home.favorites()
        self.browser.delete_all_cookies()
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.log_in("ben", BEN)
        theirs = self.home.run("list", "--favorites", "--user", "Ben")
        self.browser.close()
        self.browser.switch_to.window(first)
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", "ibotta:900121")
        self.wait("the star waits", lambda: "ibotta:900121" not in self.own_stars())
        self.assertEqual(self.home.run("list", "--favorites", "--user", "Ben"), theirs)
        self.assertEqual(self.home.favorites(), before)
        self.assertTrue(mine)

    def test_the_pages_of_users_fit_in_both_themes(self):
        self.log_in("ana", ANA)
        for mode in ("light", "dark"):
            self.set_mode(mode)
            for size in (PHONE, DESKTOP):
                self.set_size(size)
                for path in ("/settings", "/users", "/login"):
                    self.open(path)
                    if path != "/login":
                        self.wait_ready()
                    for details in self.all("#account details, #tokens details, .page-users details"):
                        self.script("arguments[0].open = true", details)
                    self.no_overflow(path)
                    self.assertEqual(self.violations(), [], path)
                    if path == "/settings":
                        self.script("document.querySelector('#account').scrollIntoView()")
                    self.shoot(f"users{path.replace('/', '-')}-{mode}")

    def test_an_admin_adds_and_invites_a_user_who_logs_in_and_sets_a_passphrase(self):
        self.log_in("ana", ANA)
        self.open("/users")
        self.find("form[action='/users'] [name=name]").send_keys("Cleo")
        self.find("form[action='/users'] button").click()
        self.wait("Cleo is not listed", lambda: "Cleo" in self.find("main").text)
        self.script("document.querySelector(\"[aria-label='Make a code for Cleo']\").click()")
        code = self.wait_for(".pair-code").text
        self.assertIn("Invite Cleo", self.find("h1").text)
        self.shoot("users-invite")
        self.browser.delete_all_cookies()
        self.open("/pair?code=" + code)
        self.find("form[action='/pair'] button").click()
        self.wait("the code does not log in", lambda: self.browser.current_url == self.home.base + "/")
        self.open("/settings")
        self.assertIn("Cleo", self.find("#account").text)
        self.script("document.querySelector('#account details').open = true")
        for name in ("new", "again"):
            self.find(f"[name={name}]").send_keys("seven green trams")
        self.find("form[action='/passphrase'] button").click()
        self.wait("the passphrase is not set", lambda: "Change your" in self.find("#account").text)
        self.browser.delete_all_cookies()
        self.log_in("cleo", "seven green trams")


if __name__ == "__main__":
    unittest.main()
