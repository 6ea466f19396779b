"""What is new: by day and kind with deltas, one menu, and the badge until it was seen."""

import json

from home import PHONE, BrowserTest


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
        self.assertEqual(json.loads(self.get("/api/v1/news"))["count"], 0)
