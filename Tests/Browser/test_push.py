"""Notices on this device: the section of the settings, and what the service worker shows of a message."""

import json
import urllib.request

from websocket import create_connection

from home import PHONE, BrowserTest

ENDPOINT = "https://push.example.invalid/4f1c"
# Chromium cannot reach its push service here. The keys are those of the example of RFC 8291.
SUBSCRIBED = """
  let kept = null;
  PushManager.prototype.getSubscription = async () => kept;
  PushManager.prototype.subscribe = async (options) => {
    window.options = options;
    const keys = {auth: "BTBZMqHH6r4Tts7J_aSIgg", p256dh:
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"};
    const endpoint = "%s";
    kept = {endpoint, toJSON: () => ({endpoint, keys}), unsubscribe: async () => (kept = null, true)};
    return kept;
  };
""" % ENDPOINT


class PushTests(BrowserTest):
    feeds = ("ibotta",)
    size = PHONE

    def allow(self, setting="granted"):
        self.browser.execute_cdp_cmd("Browser.setPermission", {
            "permission": {"name": "notifications"}, "setting": setting, "origin": self.home.base})

    def state(self):
        return self.find("[data-push-state]").text

    def actions(self):
        return self.script("return [...document.querySelectorAll('[data-push-action]:not([hidden])')]"
                           ".map(({dataset}) => dataset.pushAction)")

    def test_a_browser_is_added_tried_and_removed_in_the_settings(self):
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SUBSCRIBED})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)
        self.allow()
        self.open("/settings/browser")
        self.wait("it cannot be added", lambda: self.actions() == ["start"])
        self.check_looks()
        self.press("[data-push-action='start']")
        self.wait("it was not added", lambda: self.actions() == ["test", "stop"])
        channel, = json.loads(self.home.run("channel", "list", "--json"))["channels"]
        self.assertEqual((channel["kind"], channel["words"]), ("webpush", ["push.example.invalid"]))
        self.assertIn(channel["channel"], self.state())
        self.assertTrue(self.script("return window.options.userVisibleOnly && window.options.applicationServerKey.length === 87"))
        # The push service of the subscription does not exist.
        self.press("[data-push-action='test']")
        self.wait_for("[data-alert][open]")
        self.assertIn("push.example.invalid", self.find("#alert-text").text)
        self.press("[data-alert-close]")
        self.press("[data-push-action='stop']")
        self.wait("it was not removed", lambda: self.actions() == ["start"])
        self.assertEqual(json.loads(self.home.run("channel", "list", "--json"))["channels"], [])

    def test_the_settings_say_why_a_browser_shows_no_notices(self):
        self.allow("denied")
        self.open("/settings/browser")
        self.wait("no reason is given", lambda: "does not let this page" in self.state())
        self.assertEqual(self.actions(), [])
        added = self.browser.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.PushManager"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)
        self.open("/settings/browser")
        self.wait("no reason is given", lambda: "Home Screen" in self.state())

    def deliver(self, message):
        """Gives the service worker a message, as the browser does with one of its push service."""
        address = self.browser.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{address}/json/list", timeout=10) as answer:
            pages = json.load(answer)
        page = next(each for each in pages if each["type"] == "page" and each["url"].startswith(self.home.base))
        line = create_connection(page["webSocketDebuggerUrl"], timeout=30, suppress_origin=True)
        try:
            line.send(json.dumps({"id": 1, "method": "ServiceWorker.enable"}))
            found = []
            while not found:
                event = json.loads(line.recv())
                found = [each["registrationId"] for each in event.get("params", {}).get("registrations", [])
                         if each["scopeURL"].startswith(self.home.base) and not each["isDeleted"]]
            line.send(json.dumps({"id": 2, "method": "ServiceWorker.deliverPushMessage", "params": {
                "origin": self.home.base, "registrationId": found[0], "data": message}}))
            while json.loads(line.recv()).get("id") != 2:
                pass
        finally:
            line.close()

    def notices(self):
        return self.browser.execute_async_script(
            "const done = arguments[0]; navigator.serviceWorker.ready.then((worker) => worker.getNotifications())"
            ".then((all) => done(all.map(({title, body, tag, data}) => [title, body, tag, data])))")

    def test_a_message_is_shown_once_and_names_the_page_of_its_offer(self):
        self.allow()
        self.open("/settings/browser")
        self.wait_worker()
        one = {"id": "m-1", "title": "Coffee rose", "text": "now $3.00", "offer": "ibotta:900117", "urgent": False}
        shown = ["Coffee rose", "now $3.00", "m-1", "/offers/ibotta:900117"]
        for _ in range(2):
            self.deliver(json.dumps(one))
            self.wait("it is not shown", lambda: self.notices() == [shown])
        self.deliver(json.dumps({"id": "m-2", "title": "2 notices", "text": "Coffee, Tea", "offer": None}))
        self.wait("it is not shown", lambda: ["2 notices", "Coffee, Tea", "m-2", "/notices"] in self.notices())
        # A message that cannot be read is shown as well, as browsers require.
        self.deliver("nonsense")
        self.wait("it is not shown", lambda: len(self.notices()) == 3)
