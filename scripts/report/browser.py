"""Chromium without a screen, driven over its DevTools protocol through a pair of pipes: no port, no package."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Failure(Exception):
    """What the browser reported, or did not in time."""


class Browser:
    """One page of one browser, whose profile is gone with it."""

    def __init__(self, program, width, height):
        self.profile = tempfile.mkdtemp(prefix="check-report-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def places():  # --remote-debugging-pipe reads from descriptor 3 and writes to 4
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-background-networking",
             "--hide-scrollbars", f"--user-data-dir={self.profile}",
             *(["--no-sandbox"] if os.getuid() == 0 else [])],
            preexec_fn=places, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if answer.get("method") == "Page.javascriptDialogOpening":
                raise Failure(f"the page asks: {answer['params']['message']}")
            self.events.append(answer)

    def receive(self):
        limit = time.monotonic() + 60
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, limit - time.monotonic()))[0]:
                raise Failure("the browser has not answered for a minute")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise Failure(f"the browser has ended, with status {self.process.wait()}")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def value(self, expression):
        """What `expression` is in the page; promises are waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failure(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def until(self, expression):
        limit = time.monotonic() + 30
        while not self.value(expression):
            if time.monotonic() > limit:
                raise Failure(f"half a minute, and still not: {expression}")
            time.sleep(0.02)

    def press(self, key, hold=False):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        if not hold:
            self.release(key)

    def release(self, key):
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def mouse(self, kind, x, y, down=False):
        button = {"button": "left", "buttons": int(kind != "mouseReleased"), "clickCount": 1} if down else {}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def click(self, x, y):
        self.mouse("mousePressed", x, y, down=True)
        self.mouse("mouseReleased", x, y, down=True)

    def box(self, selector):
        """Left, top, width and height of an element on the screen, which is scrolled there."""
        return self.value(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "nearest"}});
            const box = element.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height];
        }})()""")
