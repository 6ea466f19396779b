"""The base of the browser tests: a server of feeds, a scratch database, `offers serve` and Chromium."""

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from importlib.util import find_spec
from pathlib import Path

from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import feed_server
from proxy import Proxy

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("OFFERS_PROGRAM", str(ROOT / ".build/release/offers"))
SHOTS = ROOT / ".build/screenshots"
AXE = (Path(find_spec("axe_playwright_python").submodule_search_locations[0]) / "axe.min.js").read_text("utf-8")
IS_WEBKIT = os.environ.get("OFFERS_BROWSER") == "webkit"
PHONE = (375, 812)
DESKTOP = (1280, 900)


class Home:
    """A scratch database, a server for it, and a server of feeds."""

    def __init__(self, feeds):
        self.folder = tempfile.TemporaryDirectory(prefix="offers-browser-")
        path = Path(self.folder.name)
        self.feed_server, self.feeds_base = feed_server.start()
        self.feeds = feed_server.Handler.feeds
        (path / "feeds.yaml").write_text(feed_server.configuration(self.feeds_base), "utf-8")
        self.environment = dict(
            os.environ,
            OFFERS_DATABASE=str(path / "offers.sqlite"),
            OFFERS_CONFIG=str(path / "feeds.yaml"),
            HOME=self.folder.name,
        )
        self.process = None
        self.port = 0
        self.scheme = "http"
        self.host = "127.0.0.1"
        # The path below which the browser reaches the server.
        self.base_path = ""
        # A proxy between the browser and the server; None for a direct connection.
        self.proxy = None
        # Further arguments of `offers serve`.
        self.serve_arguments = []
        if feeds:
            self.run("sync", "--quiet", *feeds)
        self.start()

    @property
    def base(self):
        return f"{self.scheme}://{self.host}:{self.proxy.port if self.proxy else self.port}{self.base_path}"

    def run(self, *arguments, text=None):
        """Runs a command of the program, with a text as its input, and returns its output."""
        done = subprocess.run(
            [PROGRAM, *arguments], env=self.environment, capture_output=True, text=True, timeout=60,
            input=text,
        )
        if done.returncode != 0:
            raise AssertionError(f"offers {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def favorites(self):
        found = json.loads(self.run("list", "--favorites", "--json"))
        return sorted(offer["ref"] for offer in found["offers"])

    def start(self):
        """Starts the server, on the port of the last start, or first on a free one."""
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", str(self.port), *self.serve_arguments],
            env=self.environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )
        line = self.process.stderr.readline()
        self.port = int(line.strip().rsplit(":", 1)[1].split("/")[0]) if ":" in line else 0
        assert self.port, f"offers serve said: {line}"

    def use_proxy(self):
        """Restarts the server behind a proxy, through which the browser reaches it from now on."""
        self.stop()
        self.proxy = Proxy()
        self.serve_arguments = ["--allow-host", f"127.0.0.1:{self.proxy.port}"]
        self.start()
        self.proxy.upstream = self.port

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=20)
            self.process.stderr.close()
            self.process = None

    def close(self):
        self.stop()
        if self.proxy:
            self.proxy.close()
        self.feed_server.shutdown()
        self.feed_server.server_close()
        self.folder.cleanup()


def chromium(environment=None):
    """Starts a Chromium with a profile of its own; its environment is this process's by default."""
    options = Options()
    options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        "--disable-dev-shm-usage", "--force-color-profile=srgb", "--disable-background-networking",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver", env=environment))


class SharedBrowser:
    """One browser for all classes of tests in a process. Each class has a server on a port of its own, and browsers keep
    what they store by origin, so that no class sees what another has stored; cookies have no port, and are
    removed."""

    _browser = None

    @classmethod
    def take(cls):
        """The browser, with one new tab, without cookies and log. What tests emulate ends with their tab."""
        if cls._browser is None:
            if IS_WEBKIT:
                from webkit import WebKit
                cls._browser = WebKit()
            else:
                cls._browser = chromium()
            atexit.register(cls._browser.quit)
        browser = cls._browser
        old = browser.window_handles
        browser.switch_to.new_window("tab")
        new = browser.current_window_handle
        for handle in old:
            browser.switch_to.window(handle)
            browser.close()
        browser.switch_to.window(new)
        browser.execute_cdp_cmd("Network.clearBrowserCookies", {})
        browser.execute_cdp_cmd("Browser.resetPermissions", {})
        browser.get_log("browser")
        return browser


class BrowserTest(unittest.TestCase):
    """The base class of the tests. Each class has a server of its own; all share one browser."""

    feeds = ("ibotta", "restaurants", "facts", "albums", "movies")
    size = PHONE
    mode = "light"

    @classmethod
    def setUpClass(cls):
        cls.home = Home(cls.feeds)
        cls.browser = SharedBrowser.take()
        cls.set_size(cls.size)
        cls.mode = "light"

    @classmethod
    def tearDownClass(cls):
        # The page must not ask the server that is about to end.
        cls.browser.get("about:blank")
        cls.home.close()

    def run(self, result=None):
        failures = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > failures:
            try:
                SHOTS.mkdir(parents=True, exist_ok=True)
                self.browser.save_screenshot(str(SHOTS / f"FAILED-{self.id().rsplit('.', 1)[1]}.png"))
                shown = self.script(
                    "return [location.href, ...[...document.querySelectorAll('.toast, dialog[open]')]"
                    ".map((each) => each.textContent.replace(/\\s+/g, ' '))]")
                log = [each["message"] for each in self.browser.get_log("browser")][-4:]
                print("the browser showed:", *shown, *log, sep="\n  ", file=sys.stderr)
            except WebDriverException:
                pass  # The window may be closed; the failure itself is reported.

    @classmethod
    def set_size(cls, size):
        cls.size = size
        width, height = size
        is_phone = width < 600
        cls.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 2 if is_phone else 1, "mobile": is_phone},
        )
        cls.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": is_phone})

    @classmethod
    def set_mode(cls, mode):
        cls.mode = mode
        cls.browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": mode}]}
        )

    def looks(self, sizes=(PHONE, DESKTOP)):
        """Gives the page that is shown each of these sizes in each color scheme, without loading it again, and yields
        the size and the scheme."""
        for mode in ("light", "dark"):
            self.set_mode(mode)
            for size in sizes:
                self.set_size(size)
                yield size, mode
        self.set_mode("light")

    def check_looks(self, where="", sizes=(PHONE, DESKTOP)):
        """Checks that the page fits, and that axe finds nothing, in all looks."""
        for size, mode in self.looks(sizes):
            with self.subTest(where=where, size=size[0], mode=mode):
                self.no_overflow(where)
                self.assertEqual(self.violations(), [])

    def violations(self):
        """What axe finds on the page: by all of its rules in the light scheme, and by those about colors in the dark one,
        which differs in its colors only."""
        if not self.script("return 'axe' in window"):
            self.script(AXE)
        found = self.browser.execute_async_script(
            "const [rules, done] = arguments; axe.run(document, {resultTypes: ['violations'],"
            " ...(rules && {runOnly: {type: 'rule', values: rules}})}).then((result) =>"
            " done([result.passes.length, result.violations]), (error) => done(String(error)))",
            ["color-contrast", "link-in-text-block"] if self.mode == "dark" else None)
        self.assertIsInstance(found, list, found)
        passes, found = found
        self.assertGreater(passes, 0 if self.mode == "dark" else 10)
        return [
            f"{each['id']} ({each['impact']}): {each['nodes'][0]['html'][:160]} {each['nodes'][0]['failureSummary'][:300]}"
            for each in found
        ]

    def open(self, path):
        """Opens a page anew: to open the address that is shown is a reload, which restores the place."""
        if self.browser.current_url == self.home.base + path:
            self.browser.get("about:blank")
        self.browser.get(self.home.base + path)

    def find(self, selector):
        self.wait_parsed()
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        self.wait_parsed()
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def wait_parsed(self):
        """Waits until the document is parsed: elements are found, and half of their text, while it still arrives."""
        deadline = time.monotonic() + 10
        while self.script("return document.readyState") == "loading" and time.monotonic() < deadline:
            time.sleep(0.02)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def wait(self, what, condition, seconds=60):
        """Waits until a condition holds; `what` is the message of the failure otherwise."""
        # Scripts of the page may replace an element while the condition reads it: it is read again.
        ignored = [StaleElementReferenceException]
        waiting = WebDriverWait(self.browser, seconds, 0.05, ignored_exceptions=ignored)
        waiting.until(lambda _: condition(), what)

    def wait_for(self, selector, seconds=60):
        self.wait(f"no element matches {selector}", lambda: self.all(selector), seconds)
        return self.find(selector)

    def wait_ready(self):
        """Waits until the scripts of the page have added their event listeners."""
        self.wait("the page is not complete", lambda: self.script(
            "return document.readyState === 'complete'"))

    def rests(self):
        """Whether the page stays where it is for ten frames. Cards take their real heights once they are drawn, which moves
        the page, and a busy machine draws no frame for a while."""
        return self.browser.execute_async_script(
            "const done = arguments[0], places = []; const look = () => {"
            " if (places.push(scrollY) < 12) requestAnimationFrame(look);"
            " else done(new Set(places.slice(2)).size === 1) }; requestAnimationFrame(look)")

    def wait_worker(self):
        self.wait("no service worker controls the page", lambda: self.browser.execute_async_script(
            "const done = arguments[0]; navigator.serviceWorker.ready.then(() =>"
            " done(Boolean(navigator.serviceWorker.controller)))"))

    def stored_offers(self):
        """The numbers of stored offers and of favorites that are no current offers; none before they are complete."""
        return self.browser.execute_async_script(
            "const done = arguments[1]; const read = (name, store, key) => new Promise((resolve) => {"
            " const opening = indexedDB.open(name); opening.onupgradeneeded = () => opening.transaction.abort();"
            " opening.onerror = () => resolve(null); opening.onsuccess = () => {"
            "  const values = opening.result.transaction(store).objectStore(store);"
            "  (key ? values.get(key) : values.count()).onsuccess = ({target}) => {"
            "   opening.result.close(); resolve(target.result) } } });"
            "const [feeds, own] = ['offers-feeds', 'offers'].map((name) => name + arguments[0]);"
            "Promise.all([read(feeds, 'values', 'list'), read(feeds, 'offers'),"
            " read(own, 'values', 'favorites'), read(own, 'favorites')])"
            ".then(([list, offers, favorites, others]) =>"
            " done(list && favorites?.isWhole && {offers, others, refs: favorites.refs}))", self.home.base_path)

    def wait_stored(self):
        """Waits until the current offers and the favorites are stored in the browser."""
        wanted = self.home.favorites()
        self.wait("the offers are not stored", lambda: sorted((self.stored_offers() or {"refs": []})["refs"]) == wanted
                  and self.stored_offers() is not None, 120)

    def visit_site(self, url):
        """Shows a site on the page "Web" by its address bar. An address of the page that names the site may come from
        elsewhere for all that the server knows from WebKit, and asks first."""
        self.open("/web")
        self.wait_for("[data-web-home]:not([hidden])")
        self.find(".address").clear()
        self.find(".address").send_keys(url)
        self.find(".address-bar .primary").click()

    def rect(self, selector):
        return self.script(
            "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return {x: r.x, y: r.y, width: r.width, height: r.height, right: r.right, bottom: r.bottom}",
            selector,
        )

    def no_overflow(self, where=""):
        wide = self.script("return document.documentElement.scrollWidth - innerWidth")
        self.assertLessEqual(wide, 0, f"the page is {wide} pixels too wide {where}")

    def get(self, path):
        with urllib.request.urlopen(self.home.base + path, timeout=10) as answer:
            return answer.read().decode()

    def press(self, selector):
        """Clicks an element by a script, also one below the menu or far down the page."""
        self.script("document.querySelector(arguments[0]).click()", selector)

    def wait_still(self):
        # WebKit names animations that are finished as well, in cards that it does not draw.
        self.wait("something still moves", lambda: self.script(
            "return document.getAnimations().every(({playState}) => playState === 'finished')"))

    def without_scripts(self):
        """Disables the scripts of pages until the end of the test."""
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setScriptExecutionDisabled", {"value": False})


class UserTest(BrowserTest):
    """The base class of tests with two users: Ana, an admin, and Ben."""

    feeds = ("ibotta",)
    passphrases = {"ana": "correct horse battery", "ben": "blue monkey tree 7"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_users()

    @classmethod
    def make_users(cls):
        cls.home.run("user", "rename", "owner", "Ana")
        cls.home.run("user", "add", "Ben")
        for name in ("Ana", "Ben"):
            cls.set_passphrase(name)

    @classmethod
    def set_passphrase(cls, name):
        cls.home.run("user", "passphrase", name, text=cls.passphrases[name.lower()] + "\n")

    def setUp(self):
        self.browser.delete_all_cookies()
        self.set_size(PHONE)

    def fill_login(self, name, passphrase):
        for field, text in (("name", name), ("passphrase", passphrase)):
            self.find(f"[name={field}]").clear()
            self.find(f"[name={field}]").send_keys(text)
        self.find("form[action='/login'] button").click()

    def log_in(self, name, path="/"):
        self.open("/login?next=" + path)
        self.fill_login(name, self.passphrases[name])
        self.wait("the login does not redirect", lambda: self.browser.current_url == self.home.base + path)
        self.wait_worker()

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


__all__ = ["BrowserTest", "UserTest", "Home", "IS_WEBKIT", "PHONE", "DESKTOP", "By", "time"]
