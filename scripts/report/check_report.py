"""Opens a report in Chromium and uses it as a person would; says what is not as it should be."""

import argparse
import base64
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

from browser import Browser, Failure

FAILING = {"differs", "extra", "missing", "incomparable", "unreadable", "damaged", "unsound"}


class Check:
    def __init__(self, browser, folder):
        self.browser, self.folder = browser, folder
        self.report = json.loads((folder / "report.json").read_text())
        self.done = 0

    def expect(self, holds, what):
        if not holds:
            raise Failure(what)
        self.done += 1

    # How a person gets around

    def open(self):
        self.browser.call("Page.navigate", url=(self.folder / "report.html").as_uri())
        self.browser.until("document.body?.dataset.shown !== undefined")

    def show(self, name):
        """Clicks the entry of the index."""
        place = self.browser.value(
            f"""[...document.querySelectorAll("#index .name")].findIndex((name) => name.textContent === {json.dumps(name)})""")
        self.expect(place >= 0, f"the index has no {name}")
        left, top, width, height = self.browser.box(f"#index li:nth-child({place + 1}) button")
        self.browser.click(left + width / 2, top + height / 2)
        self.settle()

    def settle(self):
        self.browser.until("Number(document.body.dataset.shown) === state.current.index")

    def case(self, name):
        return next(case for case in self.report["cases"] if case["name"] == name)

    def name(self):
        return self.browser.value("document.querySelector('#name').textContent")

    def pane(self, role):
        """The pixels of the pane that was made for `role`."""
        return self.browser.value(f"""(() => {{
            const {{canvas}} = stage.panes.find((pane) => pane.role === {json.dumps(role)});
            return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.join();
        }})()""")

    def colors(self, role):
        """The colours of a pane and how often each is there."""
        data = [int(value) for value in self.pane(role).split(",")]
        return Counter(tuple(data[at:at + 3]) for at in range(0, len(data), 4) if data[at + 3] == 255)

    def middle(self, role):
        return self.browser.value(f"""(() => {{
            const {{canvas}} = stage.panes.find((pane) => pane.role === {json.dumps(role)});
            return [...canvas.getContext("2d").getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data];
        }})()""")

    def magnifier(self):
        """Channel, expected, actual and difference, row by row."""
        return self.browser.value(
            """[...document.querySelectorAll("#loupe tr")].slice(1).map((row) => [...row.cells].map((cell) => cell.textContent))""")

    def rows(self):
        return self.browser.value(
            """[...document.querySelectorAll("#index li")].filter((row) => !row.hidden).map((row) => row.querySelector(".name").textContent)""")

    # What should be

    def everything(self):
        self.open()
        for check in (self.index, self.side_by_side, self.blink, self.swipe, self.values, self.other_sizes, self.pointer, self.kinds, self.mask, self.small, self.failures, self.filter,
                      self.sequence, self.markup, self.files, self.network):
            check()
            print(f"  {check.__name__.replace('_', ' ')}")
        return self.done

    def index(self):
        """The worst first, the frames of a sequence as one."""
        worst = {}
        for case in self.report["cases"]:
            name = case.get("sequence", case["name"])
            worst[name] = max(worst.get(name, 0), case["severity"])
        self.expect(self.rows() == sorted(worst, key=lambda name: -worst[name]), "the index is not in the order of severity")
        self.expect(self.browser.value("document.querySelector('#count').textContent") == self.report["count"], "the line does not count")

    def side_by_side(self):
        self.show("blur/radius 2")
        shown = self.browser.value("stage.panes.map((pane) => pane.caption.textContent)")
        self.expect(shown == ["expected", "actual", "difference"], f"side by side stand {shown}")
        self.expect(self.pane("expected") != self.pane("actual"), "both sides look alike")

    def blink(self):
        expected, actual = self.pane("expected"), self.pane("actual")
        self.browser.press(" ", hold=True)
        self.expect(self.pane("actual") == expected, "holding the space bar does not show the expected picture")
        self.browser.release(" ")
        self.expect(self.pane("actual") == actual, "letting the space bar go does not bring the actual picture back")

    def swipe(self):
        """With the worst pixel in the middle: left of the edge is expected, right of it actual."""
        place = self.case("blur/radius 2")["metrics"]["place"]
        self.browser.press("3")
        self.browser.press("w")
        channel = ["red", "green", "blue"].index(place["channel"])
        for share, side in ((0.25, "actual"), (0.75, "expected")):
            left, top, width, height = self.browser.box("#swipe")
            now = self.browser.value("stage.split")
            self.browser.mouse("mousePressed", left + width * now, top + height / 2, down=True)
            self.browser.mouse("mouseMoved", left + width * share, top + height / 2, down=True)
            self.browser.mouse("mouseReleased", left + width * share, top + height / 2, down=True)
            split = self.browser.value("stage.split")
            self.expect(abs(split - share) < 0.05, f"the slider was drawn to {share}, the edge is at {split}")
            middle = self.middle("swipe")[channel]
            self.expect(middle == place[side], f"with the edge at {share} the middle shows {middle}, {side} is {place[side]}")
        self.browser.press("1")

    def values(self):
        """At its worst pixel, every case prints what the comparison itself found there."""
        for case in self.report["cases"]:
            place = case.get("metrics", {}).get("place")
            if case["status"] != "differs" or not place or "sequence" in case:
                continue
            self.show(case["name"])
            self.browser.press("w")
            row = next(row for row in self.magnifier() if row[0] == place["channel"])
            change = place["actual"] - place["expected"]
            wanted = [str(place["expected"]), str(place["actual"]), f"+{change}" if change > 0 else f"−{-change}"]
            self.expect(row[1:] == wanted, f"{case['name']}: the magnifier prints {row}, the comparison found {wanted}")

    def other_sizes(self):
        self.show("resize/half")
        shown = self.browser.value("stage.panes.map((pane) => pane.caption.textContent)")
        self.expect(shown == ["expected", "actual"], f"of pictures that cannot be compared are shown {shown}")
        self.expect(all(row[2] == "–" for row in self.magnifier()), "the magnifier compares what cannot be compared")

    def pointer(self):
        """Samples of 16 bits and alpha under the pointer: those of the ramp that the sample is made of."""
        self.show("tone/sixteen bits and alpha")
        for x, y in ((0, 0), (30, 16), (20, 8), (7, 3)):
            left, top, width, height = self.browser.box("#stage figure canvas")
            scale, middle_x, middle_y = self.browser.value("[stage.view.scale, stage.view.x, stage.view.y]")
            self.browser.mouse("mouseMoved", left + width / 2 + (x + 0.5 - middle_x) * scale, top + height / 2 + (y + 0.5 - middle_y) * scale)
            at = self.browser.value("[document.querySelector('#loupe').dataset.x, document.querySelector('#loupe').dataset.y].map(Number)")
            self.expect(at == [x, y], f"the pointer is at {x}, {y}, the magnifier at {at}")
            ramp = [x * 65535 // 30 * (sample + 2) // 4 for sample in range(4)]
            ramp = [min(value, 65535) for value in ramp]
            printed = [int(row[1]) for row in self.magnifier()]
            self.expect(printed[:3] == ramp[:3], f"at {x}, {y} the magnifier prints {printed}, the ramp is {ramp}")

    def kinds(self):
        self.show("blur/radius 2")
        for kind, equal in (("signed", (118, 118, 118)), ("amount", (0, 0, 0)), ("FLIP", (0, 0, 4))):
            most = self.colors("difference").most_common(1)[0][0]
            self.expect(most == equal, f"{kind}: what is equal is shown as {most}")
            self.browser.press("d")
        before = self.pane("difference")
        self.browser.press("]")
        self.expect(self.pane("difference") != before, "more gain shows no more")
        self.browser.press("[")
        self.expect(self.pane("difference") == before, "less gain does not show less again")

    def mask(self):
        """No difference is shown where the mask leaves pixels out, though the greatest is there; both sides are hatched."""
        self.show("overlay/clock")
        seen = self.browser.value(
            "[...state.shown.difference.getContext('2d').getImageData(0, 0, 24, 16).data].filter((_, i) => i % 4 === 0).map((red, i) => red === 118 ? -1 : i).filter((i) => i >= 0)")
        self.expect(seen == [9 * 24 + 11], f"differences are shown in {seen}")
        hatched = self.browser.value("[...state.shown.actual.getContext('2d').getImageData(0, 0, 3, 1).data].join()")
        self.expect(hatched == ",".join(["128,128,128,255"] * 3), f"what the mask leaves out is shown as {hatched}")

    def small(self):
        """A seam of one column is seen at an eighth of its size: nothing that differs is averaged away or left out."""
        self.show("blur/radius 2")
        self.browser.press("4")
        for _ in range(3):
            self.browser.press("-")
        seen = sum(count for color, count in self.colors("difference").items() if color[2] > color[0] + 40)
        self.expect(seen > 36, f"at {self.browser.value('stage.view.scale')} of its size a seam is seen in {seen} points")
        self.browser.press("1")

    def failures(self):
        """The key n goes through every failure once and begins again; p goes back."""
        failing = {case.get("sequence", case["name"]) for case in self.report["cases"] if case["status"] in FAILING}
        wanted = [name for name in self.rows() if name in failing]
        self.show(wanted[0])
        seen = []
        for _ in wanted:
            seen.append(self.browser.value("state.entry.name"))
            self.browser.press("n")
            self.settle()
        self.expect(seen == wanted, f"n went through {seen}, failing are {wanted}")
        self.expect(self.browser.value("state.entry.name") == wanted[0], "behind the last failure n does not begin again")
        self.browser.press("p")
        self.settle()
        self.expect(self.browser.value("state.entry.name") == wanted[-1], "p does not go back")

    def filter(self):
        everything = self.rows()
        self.browser.press("/")
        for letter in "blur":
            self.browser.press(letter)
        self.expect(self.rows() == ["blur/radius 2"], f"by the name blur are found {self.rows()}")
        self.browser.value("document.querySelector('#search').value = ''; index.filter()")
        self.browser.press("Escape")
        left, top, width, height = self.browser.box("#chips [data-status=exact]")
        self.browser.click(left + width / 2, top + height / 2)
        self.expect(self.rows() == ["equalize/luma"], f"exact are {self.rows()}")
        self.browser.click(left + width / 2, top + height / 2)
        self.expect(self.rows() == everything, "without a filter not all are back")

    def sequence(self):
        self.show("shot")
        left, top, width, height = self.browser.box("#chart svg")
        self.browser.click(left + width * 15.5 / 24, top + height / 2)
        self.settle()
        self.expect(self.name() == "shot 16", f"a click at the 16th of 24 frames shows {self.name()}")
        for _ in range(4):
            self.browser.press(".")
            self.settle()
        self.expect(self.browser.value("document.querySelector('#status').textContent") == "missing", "frame 20 is not said to be missing")
        self.browser.press(",")
        self.settle()
        self.expect(self.name() == "shot 19", "the key , does not go back")

    def markup(self):
        name = next(case["name"] for case in self.report["cases"] if "onerror" in case["name"])
        self.show(name)
        self.expect(self.name() == name, "a name with markup is not shown as it is")
        self.expect(self.browser.value("document.images.length") == 0, "a name has become an element")

    def files(self):
        suite = ElementTree.parse(self.folder / "junit.xml").getroot().find("testsuite")
        cases = suite.findall("testcase")
        self.expect([case.get("name") for case in cases] == [case["name"] for case in self.report["cases"]], "JUnit's names are others")
        bad = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
        self.expect(bad == sum(case["status"] in FAILING for case in self.report["cases"]), "JUnit counts other failures")

    def network(self):
        """Nothing left the page, and nothing in it went wrong."""
        self.browser.value("0")
        for event in self.browser.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                self.expect(url.startswith(("file:", "data:")), f"the page loads {url[:100]}")
            wrong = method in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening") or parameters.get("entry", {}).get("level") == "error"
            self.expect(not wrong, f"{method}: {json.dumps(parameters)[:500]}")

    # For the documentation

    def picture(self, path, name, scheme):
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.show(name)
        self.browser.press("1")
        self.browser.press("f")
        self.browser.value("document.activeElement.blur()")
        path.write_bytes(base64.b64decode(self.browser.call("Page.captureScreenshot", format="png")["data"]))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("browser")
    arguments.add_argument("folder", type=pathlib.Path, help="with report.html, report.json and junit.xml")
    arguments.add_argument("--picture", type=pathlib.Path)
    arguments.add_argument("--case", default="blur/radius 2")
    arguments.add_argument("--scheme", default="dark", choices=["dark", "light"])
    given = arguments.parse_args()
    browser = None
    try:
        browser = Browser(given.browser, 1195 if given.picture else 1280, 780 if given.picture else 860)
        check = Check(browser, given.folder.resolve())
        if given.picture:
            check.open()
            check.picture(given.picture, given.case, given.scheme)
        else:
            print(f"check-report: {check.everything()} expectations hold")
    except Failure as failure:
        sys.exit(f"check-report: {failure}")
    finally:
        if browser:
            browser.close()


main()
