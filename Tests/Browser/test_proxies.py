"""The pages behind nginx, Caddy and Apache, with the files of the documentation."""

import contextlib
import http.client
import os
import re
import socket
import ssl
import unittest
from urllib.parse import urlsplit

from front_proxy import FILES, FrontProxy, make_certificate
from home import DESKTOP, PHONE, ROOT, Home, chromium
from test_stars import OTHER, REF, StarBase

PASSPHRASE = "correct horse battery"


class ProxyBase(StarBase):
    """The base class of the tests: one server and one browser, and a proxy for each test."""

    kind = None

    @classmethod
    def setUpClass(cls):
        if cls.kind is None:
            raise unittest.SkipTest("the base class has no proxy")
        cls.home = Home(cls.feeds)
        cls.home.run("user", "passphrase", "owner", text=PASSPHRASE + "\n")
        cls.home.stop()
        cls.home.scheme = "https"
        folder = cls.home.folder.name
        make_certificate(folder)
        # nginx and Apache read their files as another user.
        os.chmod(folder, 0o755)
        cls.browser = chromium(dict(os.environ, HOME=folder))
        cls.set_size(PHONE)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.home.close()

    def setUp(self):
        self.set_size(PHONE)

    def tearDown(self):
        self.browser.get("about:blank")
        self.home.stop()
        if self.home.proxy:
            self.home.proxy.close()
            self.home.proxy = None

    def begin(self, file, host, *arguments, base_path=""):
        """Starts the server and the proxy with one of its files."""
        self.home.host, self.home.base_path = host, base_path
        self.home.serve_arguments = [
            "--behind-tls", "--allow-host", host, "--trusted-proxy", "127.0.0.1", *arguments]
        self.home.start()
        self.home.proxy = FrontProxy(self.kind, file, self.home.folder.name, self.home.port)

    def log_in(self):
        self.wait_for("[name=passphrase]")
        self.find("[name=name]").send_keys("owner")
        self.find("[name=passphrase]").send_keys(PASSPHRASE)
        self.find("form[action$='/login'] button").click()
        self.wait_for(".card")

    def addresses(self):
        """The addresses of the page, and of all that it has loaded, on this server."""
        return self.script(
            "const own = [...document.querySelectorAll('[href], [src], [action]')]"
            ".map((each) => each.href ?? each.src ?? each.action)"
            ".concat(performance.getEntriesByType('resource').map(({name}) => name));"
            "return [...new Set(own)].filter((each) => String(each).startsWith(location.origin))")

    def check_addresses(self):
        found = self.addresses()
        self.assertGreater(len(found), 10)
        self.assertEqual([each for each in found if not each.startswith(self.home.base + "/")], [])

    def ask(self, path, headers):
        """The status and what arrives first of an answer of the proxy."""
        asked = urlsplit(self.home.base)
        context = ssl.create_default_context(cafile=f"{self.home.folder.name}/ca.pem")
        connection = http.client.HTTPConnection(asked.hostname, asked.port)
        # The system may not know the name as one of this machine.
        plain = socket.create_connection(("127.0.0.1", asked.port), timeout=20)
        with contextlib.closing(connection):
            connection.sock = context.wrap_socket(plain, server_hostname=asked.hostname)
            connection.request("GET", asked.path + path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read1(200)

    def test_a_host_name_of_its_own(self):
        """Cookies, stars and events at a host name of its own, by the login of the server."""
        self.begin("", "offers.localhost")
        self.open("/feeds/ibotta")
        self.log_in()
        self.assertEqual(urlsplit(self.browser.current_url).path, "/feeds/ibotta")
        cookie = self.browser.get_cookie("__Host-offers-session")
        self.assertTrue(cookie["secure"] and cookie["httpOnly"])
        # The stream of events begins at once, and not with the first commit.
        status, event = self.ask("/api/v1/events", {"Cookie": f"__Host-offers-session={cookie['value']}"})
        self.assertEqual(status, 200)
        self.assertTrue(event)
        self.check_stars()

    def check_stars(self):
        """A star is sent, and one of another program arrives."""
        self.wait_ready()
        self.press_star(REF)
        self.wait("the star is not sent", lambda: REF in self.home.favorites())
        self.home.run("favorite", OTHER)
        self.wait_pressed(OTHER, "true")
        self.home.run("favorite", "--remove", REF, OTHER)
        self.wait_pressed(OTHER, "false")

    def test_below_a_path(self):
        """The whole way below a path, online and offline."""
        self.begin("path", "home.localhost", "--base-path", "/offers", base_path="/offers")
        self.browser.get(self.home.base)
        self.log_in()
        self.assertEqual(self.browser.current_url, self.home.base + "/")
        cookie = self.browser.get_cookie("__Secure-offers-session")
        self.assertEqual(cookie["path"], "/offers")
        self.check_stars()
        self.check_addresses()
        self.wait_worker()
        scope, script = self.browser.execute_async_script(
            "const done = arguments[0]; navigator.serviceWorker.ready.then((found) =>"
            " done([found.scope, found.active.scriptURL]))")
        self.assertEqual(scope, self.home.base + "/")
        self.assertEqual(script, self.home.base + "/sw.js")
        for path in ("/feeds/ibotta", "/offers/" + REF, "/settings", "/changes", "/search"):
            self.open(path)
            self.wait_ready()
            self.check_addresses()
        self.open("/")
        self.wait_stored()
        for size in (PHONE, DESKTOP):
            self.set_size(size)
        self.set_size(PHONE)
        self.read_offline()

    def read_offline(self):
        """Reads and stars below the path while the proxy says that there is no server, and while there is no proxy."""
        self.home.stop()
        self.open("/feeds/ibotta")
        self.wait_for(".offline-bar:not([hidden])")
        self.check_addresses()
        self.press_star(REF)
        self.home.proxy.close()
        self.open("/")
        self.assertEqual(self.find("h1").text, "Offers")
        self.script("document.querySelector(`a[href$='/offers/${arguments[0]}']`).click()", REF)
        self.wait("the offer is not shown", lambda: urlsplit(self.browser.current_url).path == "/offers/offers/" + REF)
        self.wait_pressed(REF, "true")
        self.check_addresses()
        self.open("/search?q=sauce")
        self.wait_for(".card")
        self.check_addresses()
        port, self.home.proxy = self.home.proxy.port, None
        self.home.start()
        self.home.proxy = FrontProxy(self.kind, "path", self.home.folder.name, self.home.port, port)
        self.open("/favorites")
        self.wait("the star is not sent", lambda: self.home.favorites() == [REF])
        self.home.run("favorite", "--remove", REF)

    def test_a_login_at_the_proxy(self):
        """The proxy knows the people, and names them to the server."""
        FrontProxy.write_people(self.kind, self.home.folder.name, "owner", PASSPHRASE.replace(" ", "-"))
        self.begin("login", "offers.localhost", "--auth-header", "X-Forwarded-User")
        # A field of the client does not count.
        self.assertEqual(self.ask("/api/v1/favorites", {"X-Forwarded-User": "owner"})[0], 401)
        asked = urlsplit(self.home.base)
        self.browser.get(f"https://owner:{PASSPHRASE.replace(' ', '-')}@{asked.netloc}/feeds/ibotta")
        self.open("/feeds/ibotta")
        self.wait_for(".card")
        self.check_stars()


class PageTests(unittest.TestCase):
    def test_the_page_shows_each_file(self):
        page = (ROOT / "Sources/OffersServer/OffersServer.docc/Proxies.md").read_text("utf-8")
        for file in FILES.iterdir():
            self.assertIn("```" + file.read_text("utf-8") + "```", re.sub("```[a-z]+\n", "```", page), file.name)


class NginxTests(ProxyBase):
    kind = "nginx"


class CaddyTests(ProxyBase):
    kind = "caddy"


class ApacheTests(ProxyBase):
    kind = "apache"
