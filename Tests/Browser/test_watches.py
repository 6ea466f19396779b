"""Watches and notices: examples, the form with its preview, the bell, links from lists, bounds in a chart, the total."""

import json

from home import DESKTOP, PHONE, BrowserTest

REF = "ibotta:900113"


class WatchTests(BrowserTest):
    feeds = ("ibotta",)

    def setUp(self):
        self.set_size(PHONE)
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})
        for watch in self.watches():
            self.home.run("watch", "remove", str(watch["watch"]))

    def watches(self):
        return json.loads(self.home.run("watch", "--json"))["watches"]

    def change(self, **rewards):
        self.home.feeds.ibotta_rewards = {key.removeprefix("r"): text for key, text in rewards.items()}
        self.home.run("sync", "--quiet", "--force", "ibotta")

    def fill(self, name, text):
        field = self.find(f"#form [name={name}]")
        if field.tag_name == "select":
            self.script("arguments[0].value = arguments[1]", field, text)
        else:
            field.clear()
            field.send_keys(text)

    def bell(self):
        shown = [each for each in self.all("[data-notices-count]") if each.is_displayed()]
        return next(iter(shown[0].text.split()), None) if shown else None

    def test_an_example_is_added_by_a_press_and_removed_again(self):
        self.open("/watches")
        self.wait_ready()
        self.press("button[aria-label='Add: A favorite is about to end']")
        self.wait("it is not added", lambda: "The watch is added." in self.find("main").text)
        self.assertEqual([each["rule"] for each in self.watches()], ["ending 6h"])
        self.press(".feed-leave summary")
        self.press(".feed-leave form button")
        self.wait("it is not removed", lambda: "The watch is removed." in self.find("main").text)
        self.assertEqual(self.watches(), [])

    def test_without_scripts_the_form_says_what_a_watch_tells_before_it_is_added(self):
        self.without_scripts()
        self.browser.get(self.home.base + "/watches?kind=at-least&amount=$2")
        self.browser.find_element("css selector", "#form [name=q]").send_keys("reward:>=1")
        self.browser.find_element("css selector", "#form button[formmethod=get]").click()
        self.wait_for("#form .done")
        text = self.find("#form").text
        self.assertIn("Tells when an offer is at least $2.", text)
        self.assertIn("now:", text)
        self.assertEqual(self.watches(), [])
        self.browser.find_element("css selector", "#form button:not([formmethod])").click()
        self.wait("it is not added", lambda: [each["rule"] for each in self.watches()] == ["at-least $2"])

    def test_a_mistake_is_named_and_a_watch_is_changed_and_paused(self):
        self.home.run("watch", "add", "coffee", "--rule", "at-least $2")
        number = self.watches()[0]["watch"]
        self.open(f"/watches?watch={number}")
        self.wait_ready()
        self.fill("amount", "lots")
        self.press("#form button[formmethod=get]")
        self.wait("it is not named", lambda: "lots" in self.find("#form .problem").text)
        self.fill("amount", "$3")
        self.press("#form button[formmethod=get]")
        self.wait("there is no preview", lambda: "at least $3" in self.find("#form").text)
        self.press("#form button:not([formmethod])")
        self.wait("it is not changed", lambda: self.watches()[0]["rule"] == "at-least $3")
        self.press(f"#watch-{number} form[action$='/pause'] button")
        self.wait("it is not paused", lambda: self.watches()[0]["paused_at"] is not None)

    def test_the_bell_counts_notices_until_they_were_seen(self):
        self.home.run("watch", "add", "reward:>=5", "--rule", "up")
        self.open("/notices")
        self.wait_ready()
        self.wait("the number stays", lambda: self.bell() is None)
        self.open("/")
        self.wait_ready()
        self.change(r900113="$6.00 Cash Back")
        self.change(r900113="$7.00 Cash Back")
        self.wait("the number does not come", lambda: self.bell() is not None, 20)
        self.no_overflow("with the bell")
        self.open("/notices")
        self.wait("the number stays", lambda: self.bell() is None)
        self.assertIn("is up", self.find("main").text)
        self.assertEqual(json.loads(self.get("/api/v1/news"))["notices"]["count"], 0)

    def test_a_filtered_list_and_a_search_in_vain_lead_to_the_form(self):
        for path, press in (("/?minimum=2", ".tools a[href^='/watches']"), ("/search?q=durianfruit", ".empty a[href^='/watches']")):
            self.open(path)
            self.wait_ready()
            self.press(press)
            self.wait("the form is not open", lambda: self.browser.current_url.startswith(self.home.base + "/watches?q="))
            self.assertIn("Add the watch", self.find("#form").text)
        self.assertEqual(self.find("#form [name=q]").get_attribute("value"), "durianfruit")

    def test_the_chart_of_an_offer_has_the_bounds_of_its_watches(self):
        self.change(r900113="$6.00 Cash Back")
        self.home.run("watch", "add", "reward:>=8")
        self.open("/offers/" + REF)
        self.wait_ready()
        self.assertEqual([each.text for each in self.all(".chart-bounds text")], ["at least $8.00"])
        self.check_looks("chart")

    def test_the_pages_fit_and_are_accessible(self):
        self.home.run("favorite", REF)
        self.addCleanup(self.home.run, "favorite", "--remove", REF)
        for path in ("/watches", "/notices", "/favorites", "/?minimum=2", "/search?q=durianfruit"):
            self.open(path)
            self.wait_ready()
            self.check_looks(path, (PHONE, DESKTOP, (320, 640)))
        self.home.run("watch", "add", "coffee reward:>=2 retailer:\"A shop with a very long name indeed\"", "--urgent")
        self.home.run("channel", "add", "command", "/bin/false", "--name", "desk")
        self.addCleanup(self.home.run, "channel", "remove", "desk")
        for path in (f"/watches?watch={self.watches()[0]['watch']}", "/notices"):
            self.open(path)
            self.wait_ready()
            self.check_looks(path, (PHONE, DESKTOP, (320, 640)))
            small = self.script(
                "return [...document.querySelectorAll('main .button, main summary')].filter((each) =>"
                " each.checkVisibility() && each.getBoundingClientRect().height < 43.5).map((each) => each.outerHTML.slice(0, 90))")
            self.assertEqual(small, [], path)

    def test_the_favorites_have_a_total_until_a_star_changes(self):
        self.home.run("favorite", REF)
        self.addCleanup(self.home.run, "favorite", "--remove", REF)
        self.open("/favorites")
        self.wait_ready()
        self.assertRegex(self.find("[data-total]").text, r"^\$\d+\.\d\d in rewards")
        self.press(f"[data-star='{REF}']")
        self.wait("the total stays", lambda: not self.all("[data-total]"))
