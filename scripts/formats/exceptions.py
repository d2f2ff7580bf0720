"""What differs from the stored samples, and why."""

import re

# A pattern of the case's name, one of what differs, the reason.
KNOWN = [
    ("^in ", "it is converted by ffmpeg", "frames have no such planes"),
    ("^in ", "floats of .* do not fit", "frames have no floats"),
    ("^in ", "ffmpeg does not read it", "ffmpeg does not read what it wrote"),
    ("^in ico", "ffmpeg writes none", "it holds BMP of some layouts, and PNG of rgba, alone"),
    ("^in (avs2|avs3|cavsvideo|vc1|vc1test) ", "ffmpeg writes none", "ffmpeg has no encoder for it"),
    ("^in (amv|psp) ", "ffmpeg writes none", "it needs a track of sound"),
    ("^in nut nut rawvideo (uyyvyy411|bayer_)", "ffmpeg writes none", "NUT does not hold it, or nothing makes it"),
    ("^raw x2(rgb|bgr)10", "NUT holds no", "no container holds these pixels"),
    ("^raw ya16", "NUT holds no", "no container holds these pixels; PNG, which does, is compared"),
    ("^out (mp4|m4v|mov|ts|webm)", "cannot hold it|cannot store|odd size", "its encoder has no such pixels or sizes"),
]


def reason(name: str, what: str) -> str | None:
    return next((why for case, found, why in KNOWN if re.search(case, name) and re.search(found, what)), None)
