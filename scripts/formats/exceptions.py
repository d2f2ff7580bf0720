"""What differs from the stored samples, and why."""

import re

# A pattern of the case's name, one of what differs, the reason.
KNOWN = [
    ("^in ", "it is converted by ffmpeg", "frames have no such planes"),
    ("^in ", "floats of .* do not fit", "frames have no floats"),
    ("^in ", "ffmpeg does not read it", "ffmpeg does not read what it wrote"),
    ("^in ico", "ffmpeg writes none", "it holds BMP of some layouts, and PNG of rgba, alone"),
    ("^in (avs2|avs3|cavsvideo|vc1|vc1test) ", "ffmpeg writes none", "ffmpeg has no encoder for it"),
    ("^in .*h261", "first frame is no keyframe", "ffmpeg calls that an error; --ignore-errors takes it"),
    ("^in mxf_opatom", "ffmpeg writes none", "it holds DNxHR of yuv422p, which another case makes"),
    ("^in (amv|psp) ", "ffmpeg writes none", "it needs a track of sound"),
    (r"^in .* (nv16|nv20..|y210..|ayuv64be|uyyvyy411|bayer_\w+|x2(rgb|bgr)10..|ya16..)$", "ffmpeg writes none",
     "ffmpeg converts no pixels to these, or the container does not hold them"),
    ("^in nut nut rawvideo (rgb4|bgr4) ", "Function not implemented", "ffmpeg converts these pixels to no others"),
    ("^in .* magicyuv gray ", "its gray has the limited range", "its encoder says so of all gray"),
    ("^in .* zlib bgr24 ", "Decoded size differs", "ffmpeg calls its own rows of odd lengths damaged"),
    ("^raw x2(rgb|bgr)10", "NUT holds no", "no container holds these pixels"),
    ("^raw ya16", "NUT holds no", "no container holds these pixels; PNG, which does, is compared"),
    ("^out (mp4|m4v|mov|ts|webm)", "cannot hold it|cannot store|odd size", "its encoder has no such pixels or sizes"),
]


def reason(name: str, what: str) -> str | None:
    return next((why for case, found, why in KNOWN if re.search(case, name) and re.search(found, what)), None)
