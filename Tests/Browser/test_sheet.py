"""Offers as sheets over their list, the button to the offer's site, and transitions of the view."""

from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from home import DESKTOP, IS_WEBKIT, PHONE, BrowserTest

LIST = "/feeds/albums"
TABLET, WIDE_TABLET = (820, 1180), (1180, 820)
SIZES = (PHONE, TABLET, WIDE_TABLET, DESKTOP)


class SheetTests(BrowserTest):
    feeds = ("albums",)

    def setUp(self):
        self.set_size(PHONE)
        self.set_mode("light")

    def address(self):
        return self.browser.current_url.removeprefix(self.home.base)

    def open_sheet(self, place=0):
        self.open(LIST)
        self.wait_ready()
        return self.press(place)

    def press(self, place=0):
        card = self.all(".covers .card-link")[place]
        target = card.get_attribute("href").removeprefix(self.home.base)
        self.script("arguments[0].scrollIntoView({block: 'center'})", card)
        card.click()
        self.wait_for("dialog.sheet[open] .facts")
        self.wait_still()
        self.assertEqual(self.address(), target)
        return target

    def wait_closed(self):
        self.wait("the sheet stays open", lambda: not self.all("dialog.sheet"))
        self.wait("the address is that of the offer", lambda: self.address() == LIST)

    def test_back_escape_and_the_button_close_the_sheet_and_the_focus_returns(self):
        self.open_sheet(4)
        self.script("window.scrolled = scrollY")
        self.assertTrue(self.script("return document.querySelector('.sheet').contains(document.activeElement)"))
        self.browser.back()
        self.wait_closed()
        self.assertEqual(self.browser.title, "Top Albums – offers")
        self.browser.forward()
        self.wait_for("dialog.sheet[open] .facts")
        self.browser.back()
        self.wait_closed()
        target = self.press(4)
        ActionChains(self.browser).send_keys(Keys.ESCAPE).perform()
        self.wait_closed()
        self.assertEqual(self.script("return document.activeElement.getAttribute('href')"), target)
        self.press(4)
        self.find(".sheet [data-close]").click()
        self.wait_closed()
        self.assertEqual(self.script("return scrollY === window.scrolled"), True)

    def test_a_press_beside_the_sheet_closes_it(self):
        self.set_size(DESKTOP)
        self.open_sheet()
        self.wait_still()
        press = ActionBuilder(self.browser)
        press.pointer_action.move_to_location(20, 450).click()
        press.perform()
        self.wait_closed()

    def test_a_reload_shows_the_page_and_back_leads_to_the_list(self):
        target = self.open_sheet()
        self.browser.refresh()
        self.wait_for(".page-offer .facts")
        self.assertEqual(self.all("dialog.sheet"), [])
        self.assertEqual(self.address(), target)
        self.browser.back()
        self.wait_for(".covers .card")
        self.assertEqual(self.address(), LIST)

    def test_other_clicks_open_the_page(self):
        self.open(LIST)
        self.wait_ready()
        card = self.find(".covers .card-link")
        self.script("arguments[0].scrollIntoView({block: 'center'})", card)
        keys = ActionChains(self.browser)
        keys.key_down(Keys.CONTROL).click(card).key_up(Keys.CONTROL).perform()
        if IS_WEBKIT:
            # It opens no tab while a driver controls it, and follows the link in this one: no script has opened a sheet.
            self.wait_for(".page-offer .facts")
            self.assertEqual(self.all("dialog.sheet"), [])
            return
        self.wait("no tab is opened", lambda: len(self.browser.window_handles) == 2)
        self.assertEqual(self.all("dialog.sheet"), [])
        self.assertEqual(self.address(), LIST)
        first, second = self.browser.window_handles
        self.browser.switch_to.window(second)
        self.wait("the tab shows no offer", lambda: "/offers/albums:" in self.browser.current_url)
        self.browser.close()
        self.browser.switch_to.window(first)

    def test_stars_in_the_sheet_and_in_the_list_agree(self):
        self.open_sheet()
        ref = self.find(".sheet [data-star]").get_attribute("data-star")
        self.find(".sheet [data-star]").click()
        self.wait("the star is not saved", lambda: self.home.favorites() == [ref])
        # The star of the card, and the button in the sheet.
        self.assertEqual([each.get_attribute("aria-pressed") for each in self.all(f'[data-star="{ref}"]')],
                         ["true", "true"])
        self.find(".sheet [data-close]").click()
        self.wait_closed()
        self.find(f'.covers [data-star="{ref}"]').click()
        self.wait("the star is not removed", lambda: self.home.favorites() == [])
        self.press()
        self.assertEqual(self.find(".sheet [data-star]").get_attribute("aria-pressed"), "false")

    def test_a_refresh_below_the_sheet_renews_the_list(self):
        self.open_sheet()
        self.script("document.querySelector('main').firstElementChild.dataset.old = 'yes';"
                    "document.querySelector('.bar-refresh').requestSubmit()")
        self.wait("the list is the old one", lambda: not self.all("main > [data-old]"))
        self.assertGreater(len(self.all("main .covers .card")), 10)
        self.assertEqual(len(self.all("dialog.sheet[open]")), 1)

    def test_the_button_keeps_twenty_pixels_and_hides_no_content(self):
        for size in SIZES:
            self.set_size(size)
            self.open_sheet()
            self.assertEqual(self.find(".sheet .open").text, "Open in Apple Music")
            for _ in self.looks((size,)):
                self.script("document.querySelector('.sheet-body').scrollTop = 0")
                sheet, button = self.rect(".sheet"), self.rect(".sheet .open")
                edges = (button["x"] - sheet["x"], sheet["right"] - button["right"], sheet["bottom"] - button["bottom"])
                self.assertEqual([round(edge, 1) for edge in edges], [20, 20, 20])
                self.assertLessEqual(sheet["bottom"], size[1])
                self.script("const body = document.querySelector('.sheet-body'); body.scrollTop = body.scrollHeight")
                last = self.script("return document.querySelector('.sheet .offer').getBoundingClientRect().bottom")
                self.assertLess(last, button["y"])
                self.no_overflow()
            self.browser.refresh()
            self.wait_for(".page-offer .open")
            for _ in self.looks((size,)):
                button, text = self.rect(".open"), self.rect(".offer-text")
                if size[0] < 900:
                    self.assertEqual((button["x"], size[0] - button["right"], size[1] - button["bottom"]), (20, 20, 20))
                else:
                    self.assertEqual((button["x"], button["right"]), (text["x"], text["right"]))
                self.script("scrollTo(0, document.documentElement.scrollHeight)")
                last = self.script("return document.querySelector('.offer-text').getBoundingClientRect().bottom")
                self.assertLess(last, self.rect(".open")["y"])

    def test_a_sheet_without_the_server_shows_the_stored_page_or_says_so(self):
        self.open(LIST)
        self.wait_worker()
        target = self.open_sheet()
        self.find(".sheet [data-close]").click()
        self.wait_closed()
        # A response that came late is stored after the sheet was opened.
        self.wait("the page is not stored", lambda: self.browser.execute_async_script(
            "const [path, done] = arguments; caches.match(path, {ignoreVary: true}).then((found) => done(Boolean(found)))",
            target))
        self.home.stop()
        try:
            # The bar moves the list, so that a press would miss the card.
            self.wait_for(".offline-bar:not([hidden])")
            self.press()
            self.find(".sheet [data-close]").click()
            self.wait_closed()
            card = self.all(".covers .card-link")[7]
            self.script("arguments[0].scrollIntoView({block: 'center'})", card)
            card.click()
            self.wait("nothing happens", lambda: "/offers/albums:" in self.browser.current_url)
        finally:
            self.home.start()


class TransitionTests(BrowserTest):
    feeds = ("albums", "facts")

    def set_motion(self, value):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-reduced-motion", "value": value}]})

    def count_transitions(self):
        """Opens a sheet, and returns how many transitions of the view that took."""
        self.open("/feeds/albums")
        self.wait_ready()
        self.script("window.transitions = 0; const start = document.startViewTransition.bind(document);"
                    "document.startViewTransition = (update) => { window.transitions += 1; return start(update); }")
        self.find(".covers .card-link").click()
        self.wait_for("dialog.sheet[open] .facts")
        return self.script("return window.transitions")

    def revealed(self, path, selector):
        """Follows a link, and returns whether the next page appeared in a transition."""
        self.open(path)
        self.wait_ready()
        source = ("addEventListener('pagereveal', (event) => { window.moved = Boolean(event.viewTransition);"
                  " event.viewTransition?.ready.then(() => { window.played = true; }, () => {}); });")
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        before = self.browser.current_url
        self.script("document.querySelector(arguments[0]).click()", selector)
        self.wait("the link leads nowhere", lambda: self.browser.current_url != before)
        self.wait_ready()
        self.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        return self.script("return [window.moved, window.played]")

    def test_views_change_by_transitions_unless_less_motion_is_wanted(self):
        self.set_motion("no-preference")
        self.assertEqual(self.count_transitions(), 1)
        self.assertEqual(self.revealed("/feeds/facts", ".rows .card-link")[0], True)
        self.assertFalse(self.revealed("/feeds/facts", ".tabs a[href='/settings']")[1])
        self.set_motion("reduce")
        self.assertEqual(self.count_transitions(), 0)
        self.assertFalse(self.revealed("/feeds/facts", ".rows .card-link")[0])

    def test_a_small_map_is_drawn_in_the_open_sheet_though_a_transition_opens_it_late(self):
        self.set_motion("no-preference")
        self.open("/feeds/albums")
        self.wait_ready()
        self.script("""
            document.startViewTransition = (update) => {
              const updateCallbackDone = new Promise((go) => setTimeout(() => go(update()), 1500));
              return {updateCallbackDone, ready: updateCallbackDone, finished: updateCallbackDone};
            };
            const get = window.fetch;
            window.fetch = async (...asked) => {
              const answer = await get(...asked);
              if (!String(asked[0]).includes("/offers/")) return answer;
              const map = '<div data-small-map class="map small-map" data-latitude="43" data-longitude="-87"'
                + ' data-name="Here" hidden></div></article>';
              return new Response((await answer.text()).replace("</article>", map), answer);
            };""")
        self.find(".covers .card-link").click()
        self.wait_for("dialog.sheet[open] .facts")
        self.wait_for(".sheet [data-small-map][data-ready]")
        box, pin = self.rect(".small-map"), self.rect(".small-map .leaflet-marker-icon")
        self.assertLess(abs(pin["x"] - box["x"] - box["width"] / 2), 20)
        self.assertLess(abs(pin["bottom"] - box["y"] - box["height"] / 2), 20)
