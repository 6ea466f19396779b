"""Logins, logouts and sessions, and the pages that a browser stores for a user."""

import time
import urllib.error
import urllib.parse
import urllib.request

from selenium.common.exceptions import TimeoutException

from home import UserTest


class LoginTests(UserTest):
    def begin(self):
        self.log_in("ana", "/favorites")
        self.wait("the page is not stored", lambda: self.is_stored("/feeds/ibotta"))

    def is_stored(self, path):
        """Opens a page, waits a second for it to be stored, and returns whether it was.

        One visit may not suffice: the service worker stores no page that it requested before it
        deleted the pages of the previous session.
        """
        self.open(path)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            if path in self.stored():
                return True
            time.sleep(0.05)
        return False

    def wait_forgotten(self):
        """Waits until no page is stored. The manifest, which requires no login, is read before."""
        self.browser.execute_cdp_cmd("Page.getAppManifest", {})
        try:
            self.wait("pages are still stored", lambda: self.stored() == [])
        except TimeoutException:
            self.fail(f"still stored: {self.stored()}")

    def log_in_elsewhere(self, agent):
        """Logs another browser in and returns its cookie."""
        request = urllib.request.Request(
            self.home.base + "/login",
            urllib.parse.urlencode({"name": "ana", "passphrase": self.passphrases["ana"]}).encode(),
            {"Origin": self.home.base, "User-Agent": agent})

        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *arguments):
                return None

        try:
            urllib.request.build_opener(Stay).open(request, timeout=10)
        except urllib.error.HTTPError as answer:
            return answer.headers["Set-Cookie"].split(";")[0]

    def status(self, cookie):
        """The status of a request with a cookie."""
        request = urllib.request.Request(self.home.base + "/api/v1/feeds", headers={"Cookie": cookie})
        try:
            return urllib.request.urlopen(request, timeout=10).status
        except urllib.error.HTTPError as answer:
            return answer.code

    def test_the_settings_end_the_sessions_of_other_browsers(self):
        self.begin()
        phone = self.log_in_elsewhere(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1")
        desk = self.log_in_elsewhere("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/133.0")
        self.assertEqual([self.status(phone), self.status(desk)], [200, 200])
        self.open("/settings/devices")
        self.wait_ready()
        self.check_looks("sessions")
        self.assertIn("This browser", self.find("#sessions li").text)
        self.press("[aria-label='Log out Safari on iPhone']")
        self.wait("the session stays", lambda: self.status(phone) == 401)
        self.wait("the list stays", lambda: "iPhone" not in self.find("#sessions").text)
        self.assertEqual(self.status(desk), 200)
        self.press("form[action='/sessions/end-others'] button")
        self.wait("the session stays", lambda: self.status(desk) == 401)
        self.open("/favorites")
        self.assertTrue(self.browser.current_url.endswith("/favorites"))

    def test_the_app_can_be_installed_after_a_login(self):
        self.begin()
        manifest = self.browser.execute_cdp_cmd("Page.getAppManifest", {})
        self.assertTrue(manifest["url"].endswith("/manifest.webmanifest"))
        self.assertEqual(manifest["errors"], [])
        self.assertIn('"name": "offers"', manifest["data"])

    def test_a_logout_deletes_the_stored_pages_and_offers(self):
        self.begin()
        self.open("/")
        self.wait("the offers are not stored", lambda: "ibotta:900113" in self.stored())
        site = self.home.feeds_base + "/site"
        self.visit_site(site)
        self.wait_for("[data-web-set-home]:not([hidden])").click()
        self.assertEqual(self.script("return localStorage.getItem('web-home')"), site)
        self.open("/settings/devices")
        self.no_overflow()
        self.press("form[action='/logout'] button")
        self.wait("the logout does not redirect", lambda: self.browser.current_url.endswith("/login"))
        self.wait_forgotten()
        self.assertEqual(self.script(
            "return [localStorage.getItem('web-home'), sessionStorage.getItem('web-history')]"), [None, None])
        self.open("/feeds/ibotta")
        self.assertIn("/login?next=", self.browser.current_url)

    def test_a_form_of_another_site_logs_nobody_out(self):
        self.log_in("ana", "/favorites")
        for policy in ("same-origin", "unsafe-url"):
            self.browser.get(self.home.feeds_base + "/chain")
            self.script(
                "const form = document.createElement('form'); form.method = 'post'; form.action = arguments[0];"
                "const meta = document.createElement('meta'); meta.name = 'referrer'; meta.content = arguments[1];"
                "document.head.append(meta); document.body.append(form); form.submit()", self.home.base + "/logout", policy)
            self.wait("the form is not answered", lambda: self.browser.current_url.endswith("/logout")
                      and "another site" in self.find("body").text)
            self.open("/settings/devices")
            self.wait_for("form[action='/logout']")

    def test_an_expired_session_deletes_the_stored_pages(self):
        self.begin()
        self.browser.delete_all_cookies()
        self.open("/feeds/ibotta")
        self.assertIn("/login?next=", self.browser.current_url)
        self.wait_forgotten()
