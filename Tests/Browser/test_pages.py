"""The keyboard, and pages without scripts."""

from selenium.common.exceptions import ElementClickInterceptedException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from home import DESKTOP, BrowserTest


class KeyboardTests(BrowserTest):
    feeds = ("ibotta",)

    def focused(self):
        return self.script(
            "const e = document.activeElement; return e.dataset?.star || e.getAttribute('href') ||"
            " e.getAttribute('aria-label') || e.name || e.tagName")

    def tab(self, count=1):
        ActionChains(self.browser).send_keys(*[Keys.TAB] * count).perform()

    def test_the_keyboard_reaches_every_control_and_the_focus_is_visible(self):
        self.set_size(DESKTOP)
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.tab()
        self.assertEqual(self.focused(), "#main")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.wait("the skip link does not focus the content", lambda: self.script(
            "return document.activeElement.id === 'main'"))
        seen = []
        for _ in range(14):
            self.tab()
            seen.append(self.focused())
        self.assertIn("/offers/ibotta:900113", seen)
        self.assertIn("ibotta:900113", seen)
        self.assertEqual(self.script(
            "return getComputedStyle(document.activeElement).outlineStyle"), "solid")
        self.script("document.querySelector('[data-star=\"ibotta:900113\"]').focus()")
        self.assertEqual(self.script(
            "return getComputedStyle(document.activeElement).opacity"), "1")
        self.browser.switch_to.active_element.send_keys(Keys.SPACE)
        self.wait("the space bar does not press the star", lambda: self.home.favorites() == ["ibotta:900113"])
        self.script("document.querySelector('.card-link').focus()")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.wait("the enter key does not open the offer", lambda: "/offers/ibotta" in self.browser.current_url)


class PlainTests(BrowserTest):
    """Tests with scripts disabled."""

    feeds = ("ibotta", "movies")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})

    def is_clicked_at_end(self, selector):
        ActionChains(self.browser).send_keys(Keys.END).perform()
        try:
            self.find(selector).click()
        except ElementClickInterceptedException:
            return False
        return True

    def test_stars_forms_and_pages_work_without_scripts(self):
        self.open("/feeds/ibotta")
        self.assertGreater(len(self.all(".card")), 10)
        # While the page still scrolls, the button may be behind the menu at the bottom.
        self.wait("the button stays covered", lambda: self.is_clicked_at_end("[data-more]"))
        self.wait("the second page is not shown", lambda: "page=2" in self.browser.current_url)
        self.open("/offers/ibotta:900113")
        self.find(".offer .star").click()
        self.wait_for(".offer .star[aria-pressed=true]")
        self.assertEqual(self.home.favorites(), ["ibotta:900113"])
        self.assertTrue(self.browser.current_url.endswith("/offers/ibotta:900113"))
        self.open("/feeds/movies")
        # The keyboard of a phone has the button of the search.
        self.assertFalse(self.find(".searchbox .button").is_displayed())
        field = self.find(".searchbox [name=q]")
        field.send_keys("quiet", Keys.ENTER)
        self.wait_for(".results .card")
        self.assertEqual(len(self.all(".results .card")), 20)
        self.open("/settings/feeds")
        self.find("[data-feed=ibotta] [data-refresh]").click()
        self.assertTrue(self.browser.current_url.endswith("/settings/feeds"))
