"""WebKit as the browser of the tests, by Debian's webkit2gtk-driver and xvfb: OFFERS_BROWSER=webkit."""

import atexit
import ctypes
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import ElementNotInteractableException
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

# Without it the buttons of the window keep it from being as narrow as a phone.
STYLE = "* {min-width: 0; padding: 0; margin: 0; border: none; font-size: 1px}"


class Element(WebElement):
    @property
    def text(self):
        """The visible text. The driver takes that of an element with few lines (line-clamp) for invisible."""
        if not self.is_displayed():
            return ""
        return self.parent.execute_script("return arguments[0].innerText.trim()", self)

    def click(self):
        """Clicks the element. The driver refuses it in a card that is not drawn yet (content-visibility)."""
        for _ in range(20):
            try:
                return super().click()
            except ElementNotInteractableException:
                time.sleep(0.1)
        return super().click()


class WebKit(webdriver.WebKitGTK):
    """A browser with a screen and a profile of its own. It has no DevTools: sizes are those of its window, and a test
    that needs more of them is skipped."""

    _web_element_cls = Element

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="offers-webkit-")
        atexit.register(self.folder.cleanup)
        style = Path(self.folder.name, "gtk-3.0/gtk.css")
        style.parent.mkdir()
        style.write_text(STYLE, "utf-8")
        environment = dict(os.environ, HOME=self.folder.name, XDG_CONFIG_HOME=self.folder.name)
        readable, writable = os.pipe()
        screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writable), "-screen", "0", "2560x2160x24", "-nolisten", "tcp"],
            pass_fds=[writable], stderr=subprocess.DEVNULL)
        atexit.register(screen.terminate)
        self.display = environment["DISPLAY"] = ":" + os.read(readable, 16).decode().strip()
        options = Options()
        options.binary_location = next(map(str, Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")))
        options.add_argument("--automation")
        super().__init__(options=options, service=Service("/usr/bin/WebKitWebDriver", env=environment))
        self.set_script_timeout(60)
        self.set_page_load_timeout(60)

    def execute_cdp_cmd(self, command, parameters):
        if command == "Emulation.setDeviceMetricsOverride":
            self.resize(parameters["width"], parameters["height"])
        elif command == "Network.clearBrowserCookies":
            self.delete_all_cookies()
        elif command == "Emulation.setEmulatedMedia":
            if any(each["value"] not in ("light", "no-preference") for each in parameters["features"]):
                raise unittest.SkipTest("this browser shows the light scheme with all motion only")
        elif command not in ("Emulation.setTouchEmulationEnabled", "Browser.resetPermissions",
                             "Page.resetNavigationHistory"):
            raise unittest.SkipTest(f"{command} is a command of Chromium")

    def resize(self, width, height):
        """Gives the page this size: the bar of the window adds to its height."""
        for _ in range(3):
            inner = self.execute_script("return [innerWidth, innerHeight]")
            outer = self.get_window_size()
            if inner == [width, height]:
                return
            self.set_window_size(outer["width"] + width - inner[0], outer["height"] + height - inner[1])

    def take_focus(self):
        """Gives the window the focus of the screen, which has no window manager: the page matches `:focus` with it only."""
        x = ctypes.CDLL("libX11.so.6")
        pointer, window = ctypes.c_void_p, ctypes.c_ulong
        x.XOpenDisplay.restype, x.XDefaultRootWindow.restype = pointer, window
        # Windows that are not shown refuse the focus.
        ignore = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)(lambda *_: 0)
        x.XSetErrorHandler(ignore)
        display = pointer(x.XOpenDisplay(self.display.encode()))
        root, parent, windows, count = window(), window(), ctypes.POINTER(window)(), ctypes.c_uint()
        x.XQueryTree(display, window(x.XDefaultRootWindow(display)), ctypes.byref(root), ctypes.byref(parent),
                     ctypes.byref(windows), ctypes.byref(count))
        for each in windows[:count.value]:
            x.XSetInputFocus(display, window(each), 2, window(0))
            x.XSync(display, 0)
        x.XCloseDisplay(display)

    def get_log(self, _):
        return []
