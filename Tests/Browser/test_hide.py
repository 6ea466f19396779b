"""The button “Hide” of an offer, and what is hidden in the settings."""

from home import PHONE, BrowserTest

REF = "ibotta:900113"
CARD = f"main .card[data-ref='{REF}']"
BUTTON = f"[data-hide='{REF}'] button"


class HideTests(BrowserTest):
    feeds = ("ibotta",)

    def setUp(self):
        self.set_size(PHONE)

    def label(self):
        return self.script(f"return document.querySelector(\"{BUTTON}\")?.textContent")

    def wait_label(self, text):
        self.wait(f"the button is not {text}", lambda: self.label() == text)

    def test_an_offer_is_hidden_and_the_message_shows_it_again(self):
        self.open("/offers/" + REF)
        self.wait_ready()
        self.press(BUTTON)
        self.wait_label("Show again")
        self.open("/feeds/ibotta")
        self.wait_ready()
        self.assertEqual(self.all(CARD), [])
        self.open("/offers/" + REF)
        self.wait_ready()
        self.assertEqual(self.label(), "Show again")
        self.press(BUTTON)
        self.wait_label("Hide")
        # “Undo” of what was just done.
        self.press(".toast button")
        self.wait_label("Show again")
        self.open("/settings/hidden")
        self.wait_ready()
        self.press(".feed-buttons button")
        self.wait("it is still in the list", lambda: not self.all(".feed-buttons"))
        self.open("/feeds/ibotta")
        self.wait_for(CARD)
