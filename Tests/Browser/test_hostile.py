"""A feed whose texts are attacks: no script of it runs, and the layout holds."""

from urllib.parse import quote

import hostile
from home import DESKTOP, PHONE, BrowserTest


class HostileTests(BrowserTest):
    feeds = ("hostile",)

    def check(self, path):
        self.open(path)
        self.wait_ready()
        self.assertIsNone(self.script("return window.hacked ?? null"), path)
        self.assertEqual(self.script("return document.querySelectorAll('main script, main [onerror],"
                                     " main [onfocus], main [onmouseover], main [autofocus]').length"), 0, path)
        links = self.script("return [...document.querySelectorAll('a[href], iframe, form')].map((each) =>"
                            " each.href ?? each.src ?? each.action)")
        for link in links:
            self.assertTrue(link.startswith(("http://", "https://")), f"{link} on {path}")
        self.no_overflow(path)
        bad = [line["message"] for line in self.browser.get_log("browser")
               if "Content Security Policy" in line["message"] or "SyntaxError" in line["message"]]
        self.assertEqual(bad, [], path)

    def test_lists_run_no_script_and_keep_their_layout(self):
        paths = ["/", "/feeds/hostile", "/feeds/hostile?view=map", "/changes", "/settings/feeds", "/search",
                 "/search?q=window", "/search?q=WWWW", "/?category=" + quote("<script>window.hacked=1</script>"),
                 "/search?q=" + quote('"><script>window.hacked=1</script>'),
                 "/web?url=" + quote('https://example.com/"onload="window.hacked=1'),
                 "/feeds/" + quote("<script>window.hacked=1</script>"), "/" + quote("<script>window.hacked=1</script>")]
        for path in paths:
            with self.subTest(path=path):
                self.set_size(PHONE)
                self.check(path)
                self.set_size(DESKTOP)
                self.no_overflow(path)
                self.assertIsNone(self.script("return window.hacked ?? null"))
        self.set_size(PHONE)
        self.open("/feeds/hostile")
        heights = self.script("return [...document.querySelectorAll('.grid .card')].map((each) => each.offsetHeight)")
        self.assertLess(max(heights), 320)

    def test_pages_of_offers_run_no_script_keep_their_layout_and_link_to_http_only(self):
        self.set_size(PHONE)
        for offer in hostile.offers():
            with self.subTest(offer=offer["id"]):
                self.check("/offers/" + quote("hostile:" + offer["id"], safe=""))
                self.assertIn(len(self.all(".facts dt")) > 3, [True])
                self.check_links(offer["id"])
        self.open("/offers/hostile:8")

    def check_links(self, offer):
        links = [each.get_attribute("href") for each in self.all(".open")]
        if offer == "14":
            self.assertEqual(len(links), 1)
            self.assertTrue(links[0].startswith("https://example.com/"))
        elif offer == "16":
            # This link has no scheme; it gets that of the feed's URL.
            self.assertEqual(links, ["http://evil.example/"])
        else:
            self.assertEqual(links, [])

    def test_an_offer_with_special_characters_in_its_id_can_be_starred(self):
        self.set_size(PHONE)
        for name in ("../../settings", "a/b?c=d#e&f=%2e%2e\"'<>", "\u202e\u2066rtl id"):
            ref = "hostile:" + name
            self.open("/offers/" + quote(ref, safe=""))
            self.wait_ready()
            self.find(".offer .star").click()
            self.wait(f"{ref} is no favorite", lambda: ref in self.home.favorites())

    def test_a_right_to_left_text_does_not_change_the_direction_of_other_texts(self):
        self.set_size(PHONE)
        self.open("/offers/hostile:7")
        # The labels around the feed's texts are still left to right.
        direction = self.script("return getComputedStyle(document.querySelector('.facts dt')).direction")
        self.assertEqual(direction, "ltr")
        isolated = self.script(
            "return [...document.querySelectorAll('.facts dd bdi')].every((each) =>"
            " getComputedStyle(each).unicodeBidi === 'isolate')")
        self.assertTrue(isolated)
