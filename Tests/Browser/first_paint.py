"""Measures the time to the first paint of pages in a fresh Chromium:
first_paint.py ROUNDS NAME=URL... prints a line for each page: its name, and the median milliseconds
until the end of the response and until the first contentful paint.
"""

import statistics
import sys

from home import chromium

SCRIPT = """
const done = arguments[0];
const answer = performance.getEntriesByType("navigation")[0].responseEnd;
const tell = () => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  if (paint) done([answer, paint.startTime]);
  else setTimeout(tell, 5);
};
tell();
"""


def measure(url):
    browser = chromium()
    try:
        browser.get("about:blank")
        browser.get(url)
        return browser.execute_async_script(SCRIPT)
    finally:
        browser.quit()


def main():
    rounds = int(sys.argv[1])
    pages = [page.split("=", 1) for page in sys.argv[2:]]
    times = {name: [] for name, _ in pages}
    for _ in range(rounds):
        for name, url in pages:
            times[name].append(measure(url))
    for name, found in times.items():
        answer, paint = (statistics.median(part) for part in zip(*found))
        print(f"{name} {answer:.1f} {paint:.1f}")


if __name__ == "__main__":
    main()
