"""A server that wants a token: in, out, and what a browser keeps of it."""

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
        cls.home.names = ["--token-file", str(path)]
        cls.home.start()

    def log_in(self):
        self.set_size(PHONE)
        self.open("/login?next=/favorites")
        self.find("[name=token]").send_keys(TOKEN)
        self.find("form button").click()
        self.wait("not in", lambda: self.browser.current_url == self.home.base + "/favorites")
        self.wait_worker()
        self.open("/feeds/ibotta")
        self.wait("nothing is kept", lambda: "/feeds/ibotta" in self.kept())

    def kept(self):
        """The paths that are kept of what only somebody with the token may see."""
        return self.browser.execute_async_script(
            "const done = arguments[0]; (async () => { const all = [];"
            " for (const name of await caches.keys()) if (!name.startsWith('offers-files'))"
            " for (const key of await (await caches.open(name)).keys()) all.push(new URL(key.url).pathname);"
            " return all })().then(done)")

    def test_it_can_be_installed_with_the_token(self):
        self.log_in()
        manifest = self.browser.execute_cdp_cmd("Page.getAppManifest", {})
        self.assertTrue(manifest["url"].endswith("/manifest.webmanifest"))
        self.assertEqual(manifest["errors"], [])
        self.assertIn('"name": "offers"', manifest["data"])

    def test_who_logs_out_leaves_nothing_behind(self):
        self.log_in()
        self.open("/settings")
        self.no_overflow()
        self.shoot("settings-token")
        self.script("document.querySelector('[action=\"/logout\"]').scrollIntoView({block: 'center'})")
        self.find("form[action='/logout'] button").click()
        self.wait("not out", lambda: self.browser.current_url.endswith("/login"))
        self.assertEqual(self.kept(), [])
        self.open("/feeds/ibotta")
        self.assertIn("/login?next=", self.browser.current_url)

    def test_a_token_that_ran_out_takes_along_what_was_kept(self):
        self.log_in()
        self.browser.delete_all_cookies()
        self.open("/feeds/ibotta")
        self.assertIn("/login?next=", self.browser.current_url)
        self.wait(f"{self.kept()} is kept still", lambda: self.kept() == [])


if __name__ == "__main__":
    unittest.main()
