"""Text in pictures by the rules on the card of `text`: outlines read by fontTools, placed by uharfbuzz, in Python's integers."""

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import uharfbuzz
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont

import rendering
from samples import Picture

UNIT = 1 << 16
FULL = 1 << 33

Point = tuple[int, int]


def blank(width: int, height: int) -> list[list[int]]:
    """No changes; a row has one more than columns."""
    return [[0] * (width + 1) for _ in range(height)]


def add_line(changes: list[list[int]], one: Point, other: Point) -> None:
    """Adds what a line changes in the cover of each row, in parts of 2^33 of a pixel."""
    width, height = len(changes[0]) - 1, len(changes)
    if one[1] == other[1]:
        return
    sign = 1 if one[1] < other[1] else -1
    (x0, y0), (x1, y1) = (one, other) if sign > 0 else (other, one)

    def column(y: int) -> int:
        return x0 + (y - y0) * (x1 - x0) // (y1 - y0)

    for row in range(max(0, y0 >> 16), min(height, -(-y1 >> 16))):
        top, bottom = max(y0, row << 16), min(y1, (row + 1) << 16)
        left, right = sorted((column(top), column(bottom)))
        rise = bottom - top

        def passed(x: int) -> int:
            return rise if x >= right else 0 if x <= left else (x - left) * rise // (right - left)

        # Column -1 stands for all that lies left of the picture.
        edges = [left] + [edge << 16 for edge in range(max(0, (left >> 16) + 1), width + 1) if edge << 16 < right] + [right]
        for first, last in zip(edges, edges[1:]):
            part = passed(last) - passed(first)
            place = first >> 16
            if first == last:
                part = rise
            if place < 0:
                changes[row][0] += sign * part * 2 * UNIT
            elif place < width:
                inside = first + last - (place << 17)
                changes[row][place] += sign * part * (2 * UNIT - inside)
                changes[row][place + 1] += sign * part * inside


def coverage(changes: list[list[int]]) -> numpy.ndarray:
    """The covered parts of pixels, from 0 to 65535."""
    rows = []
    for row in changes:
        total, made = 0, []
        for change in row[:-1]:
            total += change
            made.append((min(abs(total), FULL) * 65535 + (1 << 32)) >> 33)
        rows.append(made)
    return numpy.array(rows, dtype=numpy.int64).reshape(len(changes), len(changes[0]) - 1)


def flattened(controls: list[Point]) -> list[Point]:
    """The ends of the lines that stand for a curve."""
    degree = len(controls) - 1
    bends = [
        abs(controls[place][axis] - 2 * controls[place + 1][axis] + controls[place + 2][axis])
        for place in range(degree - 1) for axis in (0, 1)
    ]
    bits = 0
    while bits < 6 and max(bends, default=0) * (1 if degree == 2 else 3) > 4096 << (2 * bits):
        bits += 1
    count = 1 << bits
    points = []
    for part in range(1, count):
        total = [0, 0]
        for place, control in enumerate(controls):
            weight = math.comb(degree, place) * (count - part) ** (degree - place) * part**place
            total = [before + weight * number for before, number in zip(total, control)]
        whole = count**degree
        points.append(tuple((number + whole // 2) // whole for number in total))
    return points + [controls[-1]]


@dataclass
class Face:
    """A font: its outlines, in 64ths of its units, and its shaper."""

    font: TTFont
    shaper: uharfbuzz.Font
    known: dict[str, list[list[list[Point]]]] = field(default_factory=dict)

    @staticmethod
    def read(path: Path) -> "Face":
        font = TTFont(path)
        return Face(font, uharfbuzz.Font(uharfbuzz.Face(path.read_bytes())))

    @property
    def units(self) -> int:
        return self.font["head"].unitsPerEm

    def rows(self, size: int) -> tuple[int, int, int]:
        """Ascent, descent and gap in pixels."""
        header = self.font["hhea"]
        return tuple(-(-units * size // self.units) for units in (header.ascent, -header.descent, header.lineGap))

    def outline(self, glyph: str) -> list[list[list[Point]]]:
        """Closed paths of segments, each the controls from the end of the one before to its own."""
        if glyph not in self.known:
            pen = DecomposingRecordingPen(self.font.getGlyphSet())
            self.font.getGlyphSet()[glyph].draw(pen)
            paths: list[list[list[Point]]] = []
            last: Point = (0, 0)
            for operation, points in pen.value:
                points = [tuple(round(64 * number) for number in point) for point in points if point is not None]
                if operation == "moveTo":
                    paths.append([])
                    last = points[0]
                elif operation == "qCurveTo":
                    # Between two controls lies a point of the curve.
                    for place, control in enumerate(points[:-1]):
                        end = points[-1]
                        if place < len(points) - 2:
                            end = tuple((a + b) / 2 for a, b in zip(control, points[place + 1]))
                            end = tuple(math.floor(number + 0.5) for number in end)
                        paths[-1].append([last, control, end])
                        last = end
                elif operation in ("lineTo", "curveTo"):
                    paths[-1].append([last, *points])
                    last = points[-1]
            self.known[glyph] = paths
        return self.known[glyph]

    def shape(self, line: str) -> tuple[list[tuple[str, int, int]], int]:
        """Glyphs with their origins, and the width, in units."""
        buffer = uharfbuzz.Buffer()
        buffer.add_str(line)
        buffer.guess_segment_properties()
        uharfbuzz.shape(self.shaper, buffer, {})
        x, glyphs = 0, []
        for info, position in zip(buffer.glyph_infos, buffer.glyph_positions):
            glyphs.append((self.font.getGlyphName(info.codepoint), x + position.x_offset, position.y_offset))
            x += position.x_advance
        return glyphs, x


def _place(count: int, whole: int, word: int, inset: int, shift: int) -> int:
    """`word` is -1 for the first edge, 0 for the middle, 1 for the last."""
    rest = whole - count
    return inset + shift if word < 0 else rest // 2 + shift if word == 0 else rest - inset - shift


def _way(gravity: str) -> tuple[int, int]:
    return ("east" in gravity) - ("west" in gravity), ("south" in gravity) - ("north" in gravity)


def _laid(front: numpy.ndarray, color: tuple[int, ...], part: numpy.ndarray, maximum: int) -> numpy.ndarray:
    layer = numpy.empty_like(front)
    layer[...] = numpy.array(color, dtype=front.dtype) * (maximum // 255)
    layer[..., 3] = (layer[..., 3] * part + 32767) // 65535
    return rendering.over(layer, front, maximum)


def drawn(
    picture: Picture, face: Face, text: str, *, size: int, gravity: str = "southwest", margin: int = 16, x: int = 0,
    y: int = 0, color: tuple[int, ...] = (255, 255, 255, 255), shadow: tuple[int, ...] | None = None,
    background: tuple[int, ...] | None = None,
) -> Picture | None:
    """The text in a picture; None for colors around grey in a grey one, and for rows wholly outside."""
    colors = [word for word in (color, shadow, background) if word]
    if picture.color_channels == 1 and any(len(set(word[:3])) > 1 for word in colors):
        return None
    rows, columns = picture.samples.shape[:2]
    ascent, descent, gap = face.rows(size)
    lines = [face.shape(line) for line in text.split("\n")]
    widths = [max(0, -(-width * size // face.units)) for _, width in lines]
    height = len(lines) * (ascent + descent) + (len(lines) - 1) * gap
    across, down = _way(gravity)
    left = _place(max(widths + [1]), columns, across, margin, x)
    top = _place(height, rows, down, margin, y)
    around = (size + 1) // 2
    seen = range(max(0, top - around), min(rows, top + height + around))
    if not seen:
        return None
    strip = numpy.zeros((rows, columns, 4), dtype=numpy.int64)
    if background:
        grown = max(1, size // 4)
        part = numpy.zeros((rows, columns), dtype=numpy.int64)
        part[max(0, top - grown):max(0, top + height + grown), max(0, left - grown):max(0, left + max(widths) + grown)] = 65535
        strip = _laid(strip, background, part, picture.maximum)
    for word, shift in [(shadow, max(1, size // 16)), (color, 0)]:
        if not word:
            continue
        changes = blank(columns, rows)
        for number, ((glyphs, _), width) in enumerate(zip(lines, widths)):
            begin = (left + _place(max(width, 1), max(widths), across, 0, 0) + shift) << 16
            base = (top + ascent + number * (ascent + descent + gap) + shift) << 16
            for glyph, right, up in glyphs:

                def pixel(point: Point) -> Point:
                    moved = (point[0] + 64 * right, point[1] + 64 * up)
                    scaled = [(number * size * 2048 + face.units) // (2 * face.units) for number in moved]
                    return begin + scaled[0], base - scaled[1]

                for path in face.outline(glyph):
                    if not path:
                        continue
                    last = start = pixel(path[0][0])
                    for segment in path:
                        for point in flattened([pixel(point) for point in segment]):
                            add_line(changes, last, point)
                            last = point
                    add_line(changes, last, start)
        strip = _laid(strip, word, coverage(changes), picture.maximum)
    visible = numpy.zeros((rows, columns, 1), dtype=bool)
    visible[seen.start:seen.stop] = True
    back = rendering.four_channels(picture)
    return rendering.in_channels(
        numpy.where(visible, rendering.over(strip, back, picture.maximum), back), picture)
