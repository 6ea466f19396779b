"""A server that requires a token: login, logout, and the pages that a browser stores."""

import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from selenium.common.exceptions import TimeoutException

from home import PHONE, BrowserTest

TOKEN = "kE4tqPz0YbW7-mRs2xVd"


class LoginTests(BrowserTest):
    feeds = ("ibotta",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = Path(cls.home.folder.name) / "token"
        path.touch(mode=0o600)
        path.write_text(TOKEN, "utf-8")
        cls.home.stop()
        cls.home.serve_arguments = ["--token-file", str(path)]
        cls.home.start()

    def log_in(self):
        self.set_size(PHONE)
        self.open("/login?next=/favorites")
        self.find("[name=token]").send_keys(TOKEN)
        self.find("form[action='/login'] button").click()
        self.wait("the login does not redirect", lambda: self.browser.current_url == self.home.base + "/favorites")
        self.wait_worker()
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

    def stored(self):
        """The paths and the offers that the service worker has stored, without the assets."""
        return self.browser.execute_async_script(
            "const done = arguments[0]; (async () => { const all = [];"
            " for (const name of await caches.keys()) if (!name.startsWith('offers-files'))"
            " for (const key of await (await caches.open(name)).keys()) all.push(new URL(key.url).pathname);"
            " for (const {name} of await indexedDB.databases()) { const opening = indexedDB.open(name);"
            "  const base = await new Promise((go) => { opening.onsuccess = () => go(opening.result) });"
            "  for (const store of base.objectStoreNames) { const keys = base.transaction(store).objectStore(store)"
            ".getAllKeys(); all.push(...await new Promise((go) => { keys.onsuccess = () => go(keys.result) })) }"
            "  base.close() }"
            " return all })().then(done)")

    def wait_forgotten(self):
        """Waits until no page is stored. The manifest, which requires no token, is read before."""
        self.browser.execute_cdp_cmd("Page.getAppManifest", {})
        try:
            self.wait("pages are still stored", lambda: self.stored() == [])
        except TimeoutException:
            self.fail(f"still stored: {self.stored()}")

    def log_in_elsewhere(self, agent):
        """Logs another browser in and returns its cookie."""
        request = urllib.request.Request(
            self.home.base + "/login", urllib.parse.urlencode({"token": TOKEN}).encode(),
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

    def test_the_login_page_fits_and_tells_of_a_wrong_token(self):
        self.browser.delete_all_cookies()
        self.open("/login")
        self.check_looks("login")
        self.find("[name=token]").send_keys("wrong")
        self.find("form[action='/login'] button").click()
        self.wait_for(".problem")
        self.assertIn("not correct", self.find(".problem").text)
        self.check_looks("login-wrong")
        # The right token is accepted during the wait.
        self.log_in()

    def test_the_settings_end_the_sessions_of_other_browsers(self):
        self.log_in()
        phone = self.log_in_elsewhere(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1")
        desk = self.log_in_elsewhere("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/133.0")
        self.assertEqual([self.status(phone), self.status(desk)], [200, 200])
        self.open("/settings/devices")
        self.wait_ready()
        self.check_looks("sessions", "#sessions")
        names = [each.text for each in self.browser.find_elements("css selector", "#sessions h3")]
        self.assertIn("Safari on iPhone", names)
        self.assertIn("Firefox on Windows", names)
        self.assertIn("This browser", self.find("#sessions li").text)
        self.assertIn("in use now", self.find("#sessions li").text)
        self.click_form("[aria-label='Log out Safari on iPhone']")
        self.wait("the session stays", lambda: self.status(phone) == 401)
        self.wait("the list stays", lambda: "iPhone" not in self.find("#sessions").text)
        self.assertIn("The browser is logged out.", self.find("#sessions").text)
        self.assertEqual(self.status(desk), 200)
        self.click_form("form[action='/sessions/end-others'] button")
        self.wait("the session stays", lambda: self.status(desk) == 401)
        self.open("/favorites")
        self.assertTrue(self.browser.current_url.endswith("/favorites"))

    def click_form(self, selector):
        self.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.find(selector).click()

    def test_the_app_can_be_installed_with_the_token(self):
        self.log_in()
        manifest = self.browser.execute_cdp_cmd("Page.getAppManifest", {})
        self.assertTrue(manifest["url"].endswith("/manifest.webmanifest"))
        self.assertEqual(manifest["errors"], [])
        self.assertIn('"name": "offers"', manifest["data"])

    def test_a_logout_deletes_the_stored_pages_and_offers(self):
        self.log_in()
        self.open("/")
        self.wait("the offers are not stored", lambda: "ibotta:900113" in self.stored())
        site = self.home.feeds_base + "/site"
        self.open("/web?url=" + site)
        self.wait_for("[data-web-set-home]:not([hidden])").click()
        self.assertEqual(self.script("return localStorage.getItem('web-home')"), site)
        self.open("/settings/devices")
        self.no_overflow()
        self.shoot("settings-token")
        self.script("document.querySelector('[action=\"/logout\"]').scrollIntoView({block: 'center'})")
        self.find("form[action='/logout'] button").click()
        self.wait("the logout does not redirect", lambda: self.browser.current_url.endswith("/login"))
        self.wait_forgotten()
        self.assertEqual(self.script(
            "return [localStorage.getItem('web-home'), sessionStorage.getItem('web-history')]"), [None, None])
        self.open("/feeds/ibotta")
        self.assertIn("/login?next=", self.browser.current_url)

    def test_an_expired_session_deletes_the_stored_pages(self):
        self.log_in()
        self.browser.delete_all_cookies()
        self.open("/feeds/ibotta")
        self.assertIn("/login?next=", self.browser.current_url)
        self.wait_forgotten()


if __name__ == "__main__":
    unittest.main()
