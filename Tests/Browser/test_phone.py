"""A phone at home: pairing by a code, and pages over https that are kept for reading offline."""

import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from home import DESKTOP, PHONE, ROOT, By, Home, UserTest, chromium
from scanner import scan

# Chromium resolves each name in .localhost to this machine, as others resolve the name of a server.
NAME = "phone.localhost"


class PairingTests(UserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.stop()
        cls.home.serve_arguments = ["--allow-host", NAME]
        cls.home.start()

    def setUp(self):
        self.set_size(DESKTOP)
        self.set_mode("light")
        self.browser.delete_all_cookies()
        self.log_in("ana", "/settings/devices")

    def other(self):
        """A browser with a profile of its own, which the test ends."""
        browser = chromium()
        self.addCleanup(browser.quit)
        width, height = PHONE
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True})
        return browser

    def make_code(self):
        self.open("/settings/devices")
        self.script("document.querySelector('form[action=\"/pairing\"]').scrollIntoView({block: 'center'})")
        self.find("form[action='/pairing'] button").click()
        return self.wait_for(".pair-code").text

    def at(self, browser, path):
        self.wait(f"the phone is not at {path}", lambda: urlsplit(browser.current_url).path == path)

    def test_a_phone_scans_a_code_and_is_logged_in_once(self):
        self.open("/settings/devices")
        before = len(self.all("#sessions .feed"))
        code = self.make_code()
        self.check_looks("pairing")
        for _ in self.looks():
            url = scan(self.browser, self.find(".qr-code"))
            self.assertEqual(
                url, f"http://{NAME}:{self.home.port}/pair?code={code.replace('-', '')}")
        phone = self.other()
        phone.get(url)
        self.assertEqual(phone.find_element(By.NAME, "code").get_attribute("value"), code)
        phone.find_element(By.CSS_SELECTOR, ".button.primary").click()
        self.at(phone, "/welcome")
        self.assertIn("Welcome, Ana", phone.find_element(By.TAG_NAME, "h1").text)
        phone.get(url.split("/pair")[0] + "/favorites")
        self.at(phone, "/favorites")
        late = self.other()
        late.get(url)
        late.find_element(By.CSS_SELECTOR, ".button.primary").click()
        self.wait("no refusal", lambda: late.find_elements(By.CSS_SELECTOR, ".problem"))
        self.assertIn("used already", late.find_element(By.CSS_SELECTOR, ".problem").text)
        # The phone is a session like any other, which the settings end: the first one after this.
        self.open("/settings/devices")
        self.assertEqual(len(self.all("#sessions .feed")), before + 1)
        self.script("document.querySelector('#sessions').scrollIntoView()")
        self.script("document.querySelector('form[action$=\"/end\"] button').click()")
        self.wait("the session stays", lambda: len(self.all("#sessions .feed")) == before)
        phone.get(url.split("/pair")[0] + "/settings")
        self.at(phone, "/login")

    def test_a_code_is_typed_into_the_login_page(self):
        code = self.make_code()
        phone = self.other()
        phone.get(f"{self.home.base}/favorites")
        self.at(phone, "/login")
        field = phone.find_element(By.CSS_SELECTOR, "[name=code]")
        field.send_keys("aaaa-aaaa")
        phone.find_element(By.CSS_SELECTOR, "form[action='/pair'] button").click()
        self.at(phone, "/pair")
        self.assertIn("not correct", phone.find_element(By.CSS_SELECTOR, ".problem").text)

        # After one wrong code, the network of the phone has to wait for a second.
        def connect():
            # The click may return before the browser has left the page.
            if urlsplit(phone.current_url).path == "/welcome":
                return True
            field = phone.find_element(By.CSS_SELECTOR, "[name=code]")
            field.clear()
            field.send_keys(code.lower())
            phone.find_element(By.CSS_SELECTOR, "form[action='/pair'] button").click()
            return False

        self.wait("the code is not accepted", connect)

    def test_the_page_for_a_code_fits(self):
        self.browser.delete_all_cookies()
        for path in ("/pair?code=K7QM2XPD", "/pair"):
            self.open(path)
            self.check_looks(path)


class SecurePhoneTests(UserTest):
    """A server with a certificate that was made by the recipe of the documentation."""

    @classmethod
    def setUpClass(cls):
        cls.home = Home(cls.feeds)
        cls.make_users()
        folder = cls.home.folder.name
        text = (ROOT / "Sources/OffersServer/OffersServer.docc/Server.md").read_text("utf-8")
        recipe = re.search(r"```bash\n(.*?)```", text.split("## A phone at home")[1], re.DOTALL)[1]
        subprocess.run(["bash", "-ec", recipe], cwd=folder, check=True, capture_output=True)
        # A person installs the authority in the phone, a test in the browser's database.
        database = Path(folder) / ".pki/nssdb"
        database.mkdir(parents=True)
        for arguments in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "offers", "-i", f"{folder}/ca.pem"]):
            subprocess.run(["certutil", "-d", f"sql:{database}", *arguments], check=True)
        cls.home.stop()
        cls.home.scheme = "https"
        cls.home.serve_arguments = ["--tls-cert", f"{folder}/cert.pem", "--tls-key", f"{folder}/key.pem"]
        cls.home.start()
        # The authority is in the profile of a person whose home folder is another one.
        cls.browser = chromium(dict(os.environ, HOME=folder))
        cls.set_size(PHONE)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.home.close()

    def test_an_http_site_is_said_to_be_blocked_by_the_browser(self):
        self.log_in("ana")
        self.assertTrue(self.script("return isSecureContext"))
        self.open("/web?url=http://site.invalid/")
        self.wait_for(".site-card.is-loud")
        text = self.find("[data-web-refused]").text
        self.assertIn("site.invalid is not encrypted", text)
        self.assertIn("the browser blocks it", text)
        # Browsers show the sites of the machine itself.
        self.open("/web?url=http://127.0.0.1:1/")
        self.wait_for("[data-web-back]:not([hidden])")
        self.assertNotIn("not encrypted", self.find("[data-web-refused]").text)

    def test_pages_over_https_are_kept_and_read_without_the_server(self):
        self.log_in("ana")
        cookie = self.browser.get_cookie("__Host-offers-session")
        self.assertTrue(cookie["secure"] and cookie["httpOnly"])
        self.wait_worker()
        self.open("/feeds/ibotta")
        self.wait("the page is not stored", lambda: self.browser.execute_async_script(
            "caches.match('/feeds/ibotta').then((found) => arguments[0](Boolean(found)))"))
        self.home.stop()
        self.addCleanup(self.home.start)
        self.open("/feeds/ibotta")
        self.wait_for(".card")
