"""Logins at an OpenID provider, django-oauth-toolkit."""

from pathlib import Path

import openid_site
from home import PHONE, UserTest


class OpenIDTests(UserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(cls.end_provider)
        cls.provider = None
        cls.provider = openid_site.Provider(cls.home.base + "/login/oidc/callback")
        secret = Path(cls.home.folder.name) / "client-secret"
        secret.touch(mode=0o600)
        secret.write_text(openid_site.SECRET + "\n", "utf-8")
        cls.home.stop()
        cls.home.serve_arguments = [
            "--oidc-issuer", cls.provider.issuer, "--oidc-client-id", openid_site.CLIENT,
            "--oidc-client-secret-file", str(secret)]
        cls.home.start()

    @classmethod
    def end_provider(cls):
        if cls.provider:
            cls.provider.close()

    def setUp(self):
        self.set_size(PHONE)
        self.forget_cookies()

    def forget_cookies(self):
        """Deletes the cookies of the server and of the provider."""
        self.browser.execute_cdp_cmd("Network.clearBrowserCookies", {})

    def is_at(self, path):
        return self.browser.current_url == self.home.base + path

    def at_provider(self, user=None, answer="allow"):
        """Logs in at the provider, unless the browser is logged in there, and allows or cancels the login here."""
        start = f"http://{self.provider.host}/"
        self.wait("the browser is not at the provider", lambda: self.browser.current_url.startswith(start))
        if user:
            self.wait_for("[name=password]").send_keys(openid_site.USERS[user])
            self.find("[name=username]").send_keys(user)
            self.find("form button").click()
        self.wait_for("[name=allow]")
        self.find("[name=allow]" if answer == "allow" else "input[type=submit]:not([name=allow])").click()

    def connect(self, user):
        self.press("form[action='/identity'] button")
        self.at_provider(user)
        self.wait("the login is not connected", lambda: self.is_at("/settings/people")
                  and "Disconnect" in self.find("#identity").text)

    def disconnect(self):
        self.press("form[action='/identity/remove'] button")
        self.wait("the login is still connected", lambda: self.is_at("/settings/people")
                  and "Connect" in self.find("#identity button").text)

    def begin(self, path="/favorites"):
        self.open("/login?next=" + path)
        self.find("form[action='/login/oidc'] button").click()

    def log_out(self):
        self.open("/settings/devices")
        self.press("form[action='/logout'] button")
        self.wait("the logout does not redirect", lambda: self.is_at("/login"))

    def test_a_user_connects_a_login_logs_in_with_it_and_disconnects_it(self):
        self.log_in("ben", "/settings/people")
        self.connect("benny")
        self.log_out()
        # The browser is still logged in at the provider.
        self.begin()
        self.at_provider()
        self.wait("the login does not redirect", lambda: self.is_at("/favorites"))
        self.open("/settings/people")
        self.assertIn("Ben", self.find("#account").text)
        names = [cookie["name"] for cookie in self.browser.get_cookies()]
        self.assertIn("offers-session", names)
        self.assertNotIn("offers-openid", names)
        self.assertTrue(all(len(sent["code_verifier"]) == 43 for sent in self.provider.requests()))
        self.disconnect()
        self.log_out()
        self.begin()
        self.at_provider()
        self.wait("the login is not refused", lambda: "belongs to no user here" in self.find("main").text)
        self.open("/favorites")
        self.assertIn("/login?next=", self.browser.current_url)

    def test_a_stranger_is_told_to_connect_and_becomes_nobody(self):
        before = self.home.run("user", "list")
        self.begin()
        self.at_provider("greta")
        self.wait("the login is not refused", lambda: "belongs to no user here" in self.find("main").text)
        self.find("main details summary").click()
        self.assertIn("connect it in the settings", self.find("main").text)
        # The same answer again is refused: the login has ended.
        self.browser.refresh()
        self.wait("the answer counts twice", lambda: "did not begin in this browser" in self.find("main").text)
        self.assertEqual(self.home.run("user", "list").count("\n"), before.count("\n"))

    def test_a_cancelled_login_can_be_begun_again(self):
        self.begin()
        self.at_provider("greta", answer="cancel")
        self.wait("the page does not tell", lambda: "cancelled or refused" in self.find("main").text)
        self.assertIn("/login/oidc/callback", self.browser.current_url)
        self.press(".buttons a[href='/login']")
        self.wait("the link does not lead to the login", lambda: self.is_at("/login"))

    def test_a_login_that_is_connected_belongs_to_one_user(self):
        self.log_in("ben", "/settings/people")
        self.connect("benny")
        self.forget_cookies()
        self.log_in("ana", "/settings/people")
        self.press("form[action='/identity'] button")
        self.at_provider("benny")
        self.wait("the login is not refused", lambda: "another user already" in self.find("main").text)
        self.forget_cookies()
        self.log_in("ben", "/settings/people")
        self.disconnect()

    def test_the_pages_fit_in_both_themes(self):
        self.log_in("ben", "/settings/people")
        for path in ("/settings/people", "/login"):
            self.open(path)
            self.wait_ready()
            self.check_looks(path)
