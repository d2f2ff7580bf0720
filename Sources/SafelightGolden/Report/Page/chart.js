// A sequence at a glance: one small chart for each measure, one place for each frame.

const measures = [
  { name: "max", of: (frame) => frame.metrics?.maximum },
  { name: "over(0)", of: (frame) => frame.metrics && 100 * frame.metrics.over[0] / frame.metrics.pixels, unit: " %" },
  { name: "flicker", of: (frame) => frame.flicker },
];

class Chart {
  height = 34;

  constructor(element, onSeek) { Object.assign(this, { element, onSeek }); }

  /** Draws the frames of a sequence, which are in its order. */
  show(frames, current) {
    this.element.hidden = !frames;
    if (!frames) return;
    const drawn = measures.filter((measure) => frames.some((frame) => measure.of(frame) != null));
    this.element.replaceChildren(...drawn.map((measure) => this.line(measure, frames)), this.line(null, frames));
    this.seek(frames, current);
  }

  seek(frames, current) {
    const place = frames.indexOf(current), last = this.element.querySelector("figcaption.frames");
    for (const cursor of this.element.querySelectorAll(".cursor")) {
      cursor.setAttribute("x1", place + 0.5);
      cursor.setAttribute("x2", place + 0.5);
    }
    last.textContent = `frame ${current.frame}  (${place + 1} of ${frames.length})`;
  }

  line(measure, frames) {
    const row = document.createElement("div"), caption = document.createElement("figcaption");
    const height = measure ? this.height : 10;
    const svg = svgElement("svg", { viewBox: `0 0 ${frames.length} ${height}`, preserveAspectRatio: "none", height, role: "img" });
    if (measure) this.drawMeasure(svg, caption, measure, frames); else this.drawStatuses(svg, caption, frames);
    svg.append(svgElement("line", { class: "cursor", y1: 0, y2: height }));
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect(), place = Math.floor((event.clientX - box.left) / box.width * frames.length);
      this.onSeek(frames[Math.max(0, Math.min(frames.length - 1, place))]);
    });
    row.append(caption, svg);
    return row;
  }

  drawMeasure(svg, caption, measure, frames) {
    const values = frames.map((frame) => measure.of(frame)), peak = Math.max(...values.filter((value) => value != null));
    caption.textContent = `${measure.name}  0 – ${figure(peak)}${measure.unit ?? ""}`;
    svg.setAttribute("aria-label", `${measure.name} of every frame`);
    // Steps: a frame has one value along its whole place; without one the line is broken.
    let path = "", pen = false;
    values.forEach((value, i) => {
      if (value == null) { pen = false; return; }
      const y = this.height - 1 - (peak ? value / peak : 0) * (this.height - 3);
      path += `${pen ? "L" : "M"}${i} ${y}H${i + 1}`;
      pen = true;
    });
    svg.append(svgElement("path", { d: path, class: "measure" }));
  }

  drawStatuses(svg, caption, frames) {
    caption.className = "frames";
    svg.setAttribute("aria-label", "status of every frame");
    svg.append(...statusBlocks(frames, 10));
  }
}

/** A block for every run of frames of one status. */
function statusBlocks(frames, height) {
  const blocks = [];
  for (let from = 0; from < frames.length;) {
    let to = from + 1;
    while (to < frames.length && frames[to].status === frames[from].status) to++;
    blocks.push(svgElement("rect", { x: from, y: 0, width: to - from, height, "data-status": frames[from].status }));
    from = to;
  }
  return blocks;
}

function svgElement(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Four digits at most, and none of them noise. */
function figure(number) { return number == null ? "–" : String(Number(number.toPrecision(4))); }
