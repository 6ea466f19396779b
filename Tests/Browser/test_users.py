"""Two users of one server, in one browser."""

import unittest

import test_login
from home import DESKTOP, PHONE, BrowserTest

ANA, BEN = "correct horse battery", "blue monkey tree 7"
STAR, OTHER = "ibotta:900117", "ibotta:900118"


class UserTests(BrowserTest):
    feeds = ("ibotta",)

    stored = test_login.LoginTests.stored

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
        self.wait("Ben's list is not stored", lambda: (self.stored_offers() or {}).get("refs") == [])
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
        for path in ("/settings/people", "/settings/devices", "/users", "/login"):
            self.open(path)
            if path != "/login":
                self.wait_ready()
            for details in self.all("#account details, #tokens details, .page-users details"):
                self.script("arguments[0].open = true", details)
            self.check_looks(
                f"users{path.replace('/', '-')}", "#account" if path == "/settings/people" else None)

    def test_an_admin_adds_and_invites_a_user_who_logs_in_and_sets_a_passphrase(self):
        self.log_in("ana", ANA)
        self.open("/users")
        self.find("form[action='/users'] [name=name]").send_keys("Cleo")
        self.find("form[action='/users'] button").click()
        self.wait("Cleo is not listed", lambda: "Cleo" in self.find("main").text)
        self.script("document.querySelector(\"[aria-label='Invite Cleo']\").click()")
        code = self.wait_for(".pair-code").text
        self.assertIn("Invite Cleo", self.find("h1").text)
        self.shoot("users-invite")
        self.browser.delete_all_cookies()
        self.open("/pair?code=" + code)
        self.find("form[action='/pair'] button").click()
        self.wait("the code does not log in", lambda: "/welcome" in self.browser.current_url)
        self.assertIn("Welcome, Cleo", self.find("h1").text)
        for _, mode in self.looks((DESKTOP, PHONE)):
            self.no_overflow("/welcome")
            self.assertEqual(self.violations(), [])
            self.shoot(f"welcome-{mode}")
        # Of two different passphrases neither is set, and the form stays.
        self.set_passphrase("seven green trams", "seven green tram")
        self.wait("the mistake is not told", lambda: self.all(".field-error"))
        self.assertIn("differ", self.find(".field-error").text)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("name"), "again")
        self.shoot("welcome-mistake")
        self.set_passphrase("seven green trams", "seven green trams")
        self.wait("the passphrase is not set", lambda: "is set" in self.find("main").text)
        self.shoot("welcome-set")
        self.find("main a.button").click()
        self.wait("there is no way on", lambda: self.browser.current_url == self.home.base + "/")
        self.browser.delete_all_cookies()
        self.log_in("cleo", "seven green trams")


    def set_passphrase(self, new, again):
        self.find("[name=new]").send_keys(new)
        self.find("[name=again]").send_keys(again)
        self.find("form[action='/passphrase'] button").click()

    def test_a_mistake_in_the_form_of_a_user_is_told_at_the_name(self):
        self.log_in("ana", ANA)
        self.open("/users")
        self.find("form[action='/users'] [name=name]").send_keys("BEN")
        self.find("form[action='/users'] button").click()
        self.wait("the mistake is not told", lambda: self.all(".field-error"))
        field = self.find("form[action='/users'] [name=name]")
        self.assertEqual(field.get_attribute("value"), "BEN")
        self.assertEqual(self.browser.switch_to.active_element, field)
        for _, mode in self.looks((PHONE,)):
            self.no_overflow("/users")
            self.assertEqual(self.violations(), [])
            self.shoot(f"users-mistake-{mode}")

    def test_a_session_that_ends_elsewhere_is_told_and_its_stars_wait_for_the_next_login(self):
        self.log_in("ben", BEN)
        self.open("/")
        self.wait_ready()
        self.wait("the offers are not stored", lambda: STAR in self.stored())
        # A new passphrase on the machine of the server ends all sessions.
        self.home.run("user", "passphrase", "Ben", text=BEN + "\n")
        self.wait("the end of the session is not told",
                  lambda: "You have been logged out." in self.find(".offline-bar").text)
        link = self.find(".offline-bar a")
        self.assertEqual((link.text, link.get_attribute("href")),
                         ("Log in", self.home.base + "/login?next=%2F"))
        self.assertEqual(self.violations(), [])
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", OTHER)
        self.wait("the star is not said to wait", lambda: "once you log in again" in self.find(".toasts").text)
        self.shoot("logged-out")
        # What is stored is deleted. Without the server, the page promises nothing.
        self.home.stop()
        self.open("/favorites")
        self.assertEqual(self.find("h1").text, "You are offline")
        self.assertIn("since you were logged out", self.find("main").text)
        self.assertEqual([each.text for each in self.all("main .button")], ["Try again"])
        self.shoot("logged-out-offline")
        self.home.start()
        self.find("main .button").click()
        self.wait("the login is not asked for", lambda: "/login?next=" in self.browser.current_url)
        self.assertIn("You were logged out. Log in again.", self.find("main").text)
        for _, mode in self.looks((PHONE,)):
            self.assertEqual(self.violations(), [])
            self.shoot(f"login-again-{mode}")
        # A wrong passphrase leaves the name, and the focus on the passphrase.
        self.find("[name=name]").send_keys("ben")
        self.find("[name=passphrase]").send_keys("not this one")
        self.find("form[action='/login'] button").click()
        self.wait_for(".problem")
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("name"), "passphrase")
        self.log_in_after_wait("ben", BEN)
        self.wait("the star is not sent", lambda: OTHER in self.home.run("list", "--favorites", "--user", "Ben"))

    def log_in_after_wait(self, name, passphrase):
        """Logs in while the network may have to wait for a second after a wrong passphrase."""
        def is_in():
            if "/login" not in self.browser.current_url:
                return True
            for field, text in (("name", name), ("passphrase", passphrase)):
                self.find(f"[name={field}]").clear()
                self.find(f"[name={field}]").send_keys(text)
            self.find("form[action='/login'] button").click()
            return False

        self.wait("the login does not redirect", is_in)

    def test_an_admin_logs_a_user_out_everywhere(self):
        self.log_in("ana", ANA)
        self.home.run("user", "add", "Dora")
        self.open("/users")
        self.script("document.querySelector(\"[aria-label='Log out everywhere: Dora']\").click()")
        self.wait("it is not told", lambda: "Dora is logged out" in self.find("main").text)
        self.wait("the address keeps it", lambda: "out=" not in self.browser.current_url)
        self.assertFalse(self.all("[aria-label='Invite Ana']"))

    def test_a_form_that_needs_the_server_stays_without_it(self):
        self.log_in("ana", ANA)
        self.open("/users")
        self.wait_ready()
        self.home.stop()
        self.wait_for(".offline-bar:not([hidden])")
        self.script("document.querySelector(\"form[action='/pairing'] button\").click()")
        self.wait("nothing is told", lambda: "does not answer" in self.find(".toasts").text)
        self.assertTrue(self.browser.current_url.endswith("/users"))
        self.home.start()


if __name__ == "__main__":
    unittest.main()
