"""What is new: by day and kind with deltas, one menu, and the badge until it was seen."""

import unittest

from selenium.webdriver.support.ui import Select

from home import DESKTOP, PHONE, BrowserTest


class NewsTests(BrowserTest):
    feeds = ("ibotta",)

    def setUp(self):
        self.set_size(PHONE)
        self.addCleanup(setattr, self.home.feeds, "ibotta_rewards", {})

    def change(self, **rewards):
        self.home.feeds.ibotta_rewards = {key.removeprefix("r"): text for key, text in rewards.items()}
        self.home.run("sync", "--quiet", "--force", "ibotta")

    def badge(self):
        shown = [each for each in self.all("[data-news-count]") if each.is_displayed()]
        return next(iter(shown[0].text.split()), None) if shown else None

    def test_a_badge_counts_what_is_new_until_it_was_seen(self):
        self.open("/changes")
        self.wait_ready()
        self.wait("the badge stays", lambda: self.badge() is None)
        self.open("/")
        self.wait_ready()
        self.change(r900113="$5.00 Cash Back", r900114="$5.50 Cash Back")
        self.wait("the badge does not come", lambda: self.badge() == "2", 20)
        # It is there at once on the next page, and tells screen readers what it counts.
        self.open("/favorites")
        self.wait("the badge is away", lambda: self.badge() == "2")
        self.assertIn("not seen yet", self.script("return document.querySelector('[data-news-count]').textContent"))
        # A part of the changes does not count as all.
        self.open("/changes?kind=gone")
        self.wait_ready()
        self.open("/favorites")
        self.wait("the badge is away", lambda: self.badge() == "2")
        self.open("/changes")
        self.wait("the badge stays", lambda: self.badge() is None)
        # It is kept with the user: another browser knows, too.
        self.assertIn('"count":0', self.get("/api/v1/news").replace(" ", ""))

    def test_changes_are_grouped_by_kind_with_their_deltas(self):
        self.change(r900122="$2.00 Cash Back")
        self.change(r900122="$2.75 Cash Back")
        self.open("/changes")
        self.wait_ready()
        groups = {each.find_element("css selector", "h3").text.split("\n")[0].split()[0]: each.text
                  for each in self.all(".kind-group")}
        self.assertIn("+$0.75", groups["Up"])
        self.assertLess(list(groups).index("Up"), list(groups).index("First"))
        for size in (PHONE, DESKTOP):
            self.set_size(size)
            self.no_overflow()
            self.shoot("changes-grouped")

    def test_one_menu_chooses_time_kind_and_favorites(self):
        self.change(r900113="$4.50 Cash Back")
        self.open("/changes")
        self.wait_ready()
        self.assertEqual(self.all(".chips"), [])
        self.find(".choice-button").click()
        Select(self.find(".choice [name=kind]")).select_by_visible_text("Up")
        Select(self.find(".choice [name=since]")).select_by_visible_text("24 hours")
        self.find(".choice .button.primary").click()
        self.wait("the kind is not chosen", lambda: "kind=up" in self.browser.current_url)
        self.assertEqual([each.text for each in self.all(".narrow")], ["24 hours", "Up"])
        self.assertEqual(len(self.all(".kind-group")), 1)
        self.all(".narrow")[1].click()
        self.wait("the kind stays", lambda: "kind=up" not in self.browser.current_url)
        self.assertIn("since=1d", self.browser.current_url)


if __name__ == "__main__":
    unittest.main()
