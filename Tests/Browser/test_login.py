"""A server that requires a token: login, logout, and the pages that a browser stores."""

import time
import unittest
from pathlib import Path

from home import PHONE, BrowserTest

TOKEN = "correct-horse-battery"


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
        self.find("form button").click()
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
        """The paths that the service worker has stored, without those of the assets."""
        return self.browser.execute_async_script(
            "const done = arguments[0]; (async () => { const all = [];"
            " for (const name of await caches.keys()) if (!name.startsWith('offers-files'))"
            " for (const key of await (await caches.open(name)).keys()) all.push(new URL(key.url).pathname);"
            " return all })().then(done)")

    def test_the_app_can_be_installed_with_the_token(self):
        self.log_in()
        manifest = self.browser.execute_cdp_cmd("Page.getAppManifest", {})
        self.assertTrue(manifest["url"].endswith("/manifest.webmanifest"))
        self.assertEqual(manifest["errors"], [])
        self.assertIn('"name": "offers"', manifest["data"])

    def test_a_logout_deletes_the_stored_pages(self):
        self.log_in()
        self.open("/settings")
        self.no_overflow()
        self.shoot("settings-token")
        self.script("document.querySelector('[action=\"/logout\"]').scrollIntoView({block: 'center'})")
        self.find("form[action='/logout'] button").click()
        self.wait("the logout does not redirect", lambda: self.browser.current_url.endswith("/login"))
        self.wait("pages are still stored", lambda: self.stored() == [])
        self.open("/feeds/ibotta")
        self.assertIn("/login?next=", self.browser.current_url)

    def test_an_expired_session_deletes_the_stored_pages(self):
        self.log_in()
        self.browser.delete_all_cookies()
        self.open("/feeds/ibotta")
        self.assertIn("/login?next=", self.browser.current_url)
        self.wait("pages are still stored", lambda: self.stored() == [])


if __name__ == "__main__":
    unittest.main()
