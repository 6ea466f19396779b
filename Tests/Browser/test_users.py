"""Two users of one server, in one browser."""

from home import DESKTOP, PHONE, UserTest

STAR, OTHER = "ibotta:900117", "ibotta:900118"


class UserTests(UserTest):
    def star(self, ref):
        self.open("/")
        self.wait_ready()
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", ref)

    def test_a_login_as_another_leaves_nothing_of_the_first(self):
        self.log_in("ana")
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
        self.log_in("ben")
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
        self.log_in("ana")
        self.open("/")
        self.wait_ready()
        mine = self.browser.get_cookies()
        before = self.home.favorites()
        self.browser.delete_all_cookies()
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.log_in("ben")
        theirs = self.home.run("list", "--favorites", "--user", "Ben")
        self.browser.close()
        self.browser.switch_to.window(first)
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", "ibotta:900121")
        self.wait("the star waits", lambda: "ibotta:900121" not in self.own_stars())
        self.assertEqual(self.home.run("list", "--favorites", "--user", "Ben"), theirs)
        self.assertEqual(self.home.favorites(), before)
        self.assertTrue(mine)

    def test_the_pages_of_users_fit_in_both_themes(self):
        self.log_in("ana")
        for path in ("/settings/people", "/settings/devices", "/users", "/login"):
            self.open(path)
            if path != "/login":
                self.wait_ready()
            for details in self.all("#account details, #tokens details, .page-users details"):
                self.script("arguments[0].open = true", details)
            self.check_looks(path)

    def test_an_admin_adds_and_invites_a_user_who_logs_in_and_sets_a_passphrase(self):
        self.log_in("ana")
        self.open("/users")
        self.find("form[action='/users'] [name=name]").send_keys("Cleo")
        self.find("form[action='/users'] button").click()
        self.wait("Cleo is not listed", lambda: "Cleo" in self.find("main").text)
        self.script("document.querySelector(\"[aria-label='Invite Cleo']\").click()")
        code = self.wait_for(".pair-code").text
        self.assertIn("Invite Cleo", self.find("h1").text)
        self.browser.delete_all_cookies()
        self.open("/pair?code=" + code)
        self.find("form[action='/pair'] button").click()
        self.wait("the code does not log in", lambda: "/welcome" in self.browser.current_url)
        self.assertIn("Welcome, Cleo", self.find("h1").text)
        self.check_looks("/welcome", (DESKTOP, PHONE))
        # Of two different passphrases neither is set, and the form stays.
        self.choose_passphrase("seven green trams", "seven green tram")
        self.wait("the mistake is not told", lambda: self.all(".field-error"))
        self.assertIn("differ", self.find(".field-error").text)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("name"), "again")
        self.choose_passphrase("seven green trams", "seven green trams")
        self.wait("the passphrase is not set", lambda: "is set" in self.find("main").text)
        self.find("main a.button").click()
        self.wait("there is no way on", lambda: self.browser.current_url == self.home.base + "/")
        self.browser.delete_all_cookies()
        self.passphrases = {"cleo": "seven green trams"}
        self.log_in("cleo")

    def choose_passphrase(self, new, again):
        self.find("[name=new]").send_keys(new)
        self.find("[name=again]").send_keys(again)
        self.find("form[action='/passphrase'] button").click()

    def test_a_session_that_ends_elsewhere_is_told_and_its_stars_wait_for_the_next_login(self):
        self.log_in("ben")
        self.open("/")
        self.wait_ready()
        self.wait("the offers are not stored", lambda: STAR in self.stored())
        # A new passphrase on the machine of the server ends all sessions.
        self.set_passphrase("Ben")
        self.wait("the end of the session is not told",
                  lambda: "You have been logged out." in self.find(".offline-bar").text)
        link = self.find(".offline-bar a")
        self.assertEqual((link.text, link.get_attribute("href")),
                         ("Log in", self.home.base + "/login?next=%2F"))
        self.assertEqual(self.violations(), [])
        self.script("document.querySelector(`[data-star='${arguments[0]}']`).click()", OTHER)
        self.wait("the star is not said to wait", lambda: "once you log in again" in self.find(".toasts").text)
        # What is stored is deleted. Without the server, the page promises nothing.
        self.home.stop()
        self.open("/favorites")
        self.assertEqual(self.find("h1").text, "You are offline")
        self.assertIn("since you were logged out", self.find("main").text)
        self.assertEqual([each.text for each in self.all("main .button")], ["Try again"])
        self.home.start()
        self.find("main .button").click()
        self.wait("the login is not asked for", lambda: "/login?next=" in self.browser.current_url)
        self.assertIn("You were logged out. Log in again.", self.find("main").text)
        self.check_looks("login again", (PHONE,))
        # A wrong passphrase leaves the name, and the focus on the passphrase.
        self.fill_login("ben", "not this one")
        self.wait_for(".problem")
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("name"), "passphrase")
        # The network may have to wait for a second after a wrong passphrase.
        self.wait("the login does not redirect", self.is_logged_in_as_ben)
        self.wait("the star is not sent", lambda: OTHER in self.home.run("list", "--favorites", "--user", "Ben"))

    def is_logged_in_as_ben(self):
        if "/login" not in self.browser.current_url:
            return True
        self.fill_login("ben", self.passphrases["ben"])
        return False

    def test_a_form_that_needs_the_server_stays_without_it(self):
        self.log_in("ana")
        self.open("/users")
        self.wait_ready()
        self.home.stop()
        self.wait_for(".offline-bar:not([hidden])")
        self.script("document.querySelector(\"form[action='/pairing'] button\").click()")
        self.wait("nothing is told", lambda: "does not answer" in self.find(".toasts").text)
        self.assertTrue(self.browser.current_url.endswith("/users"))
        self.home.start()
