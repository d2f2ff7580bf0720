// The panes and the one view that they share.

class Stage {
  modes = { side: ["expected", "actual", "difference"], blink: ["actual"], swipe: ["swipe"], difference: ["difference"] };
  mode = "side";
  view = { scale: 1, x: 0, y: 0 };  // x, y: the point of the picture in the middle of a pane; scale: screen points a pixel
  split = 0.5;
  blinking = false;
  pictures = {};
  panes = [];

  constructor(element, { onProbe, onView }) {
    Object.assign(this, { element, onProbe, onView });
    new ResizeObserver(() => this.resized()).observe(element);
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** Shows `pictures`, canvases of one size or null: expected, actual, difference. */
  show(pictures, keepView) {
    this.pictures = pictures;
    const first = pictures.expected ?? pictures.actual;
    const same = this.size && first && first.width === this.size.width && first.height === this.size.height;
    this.size = first && { width: first.width, height: first.height };
    this.arrange();
    if (!(keepView && same)) this.fit(); else this.draw();
  }

  setMode(mode) { this.mode = mode; this.arrange(); this.fit(); }

  arrange() {
    const there = (role) => role === "swipe" ? this.pictures.expected && this.pictures.actual : this.pictures[role];
    let roles = this.modes[this.mode].filter(there);
    if (!roles.length) roles = ["expected", "actual"].filter(there);
    this.element.replaceChildren();
    this.panes = roles.map((role) => this.makePane(role));
    if (roles[0] === "swipe") this.element.append(this.makeSlider());
  }

  makePane(role) {
    const pane = document.createElement("figure"), caption = document.createElement("figcaption"), canvas = document.createElement("canvas");
    pane.className = "pane";
    pane.append(caption, canvas);
    this.element.append(pane);
    canvas.addEventListener("pointermove", (event) => this.moved(event, canvas));
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); this.moved(event, canvas); });
    return { role, caption, canvas };
  }

  makeSlider() {
    const slider = Object.assign(document.createElement("input"), { id: "swipe", type: "range", min: 0, max: 1000, value: this.split * 1000 });
    slider.setAttribute("aria-label", "Where expected ends and actual begins");
    slider.addEventListener("input", () => { this.split = slider.value / 1000; this.draw(); });
    return slider;
  }

  resized() { if (this.fitted) this.fit(); else this.draw(); }

  /** As high as the picture needs to fill a pane's width, within half of the window. */
  setHeight() {
    const columns = this.panes.length, width = (this.element.clientWidth - 8 * (columns - 1)) / columns;
    const needed = this.size ? Math.ceil(width * this.size.height / this.size.width) : 0;
    this.element.style.height = `${Math.max(180, Math.min(needed, innerHeight * 0.56))}px`;
  }

  fit() {
    this.setHeight();
    const canvas = this.panes[0]?.canvas;
    if (!this.size || !canvas) return;
    const scale = Math.min(canvas.clientWidth / this.size.width, canvas.clientHeight / this.size.height);
    this.setView(scale > 1 ? Math.min(Math.floor(scale), 32) : scale || 1, this.size.width / 2, this.size.height / 2);
    this.fitted = true;
  }

  setView(scale, x, y) {
    this.fitted = false;
    this.view = { scale: Math.min(64, Math.max(1 / 64, scale)), x, y };
    this.draw();
  }

  zoom(factor) { this.setView(this.view.scale * factor, this.view.x, this.view.y); }

  wheel(event) {
    const canvas = event.target.closest("canvas");
    if (!canvas || !this.size) return;
    event.preventDefault();
    // The point under the pointer stays there.
    const { scale, x, y } = this.view, next = Math.min(64, Math.max(1 / 64, scale * 2 ** (-event.deltaY / 240)));
    const dx = event.offsetX - canvas.clientWidth / 2, dy = event.offsetY - canvas.clientHeight / 2;
    this.setView(next, x + dx / scale - dx / next, y + dy / scale - dy / next);
  }

  moved(event, canvas) {
    if (!this.size) return;
    if (event.buttons & 1) {
      const { scale, x, y } = this.view;
      this.setView(scale, x - event.movementX / scale, y - event.movementY / scale);
      return;
    }
    const x = Math.floor(this.view.x + (event.offsetX - canvas.clientWidth / 2) / this.view.scale);
    const y = Math.floor(this.view.y + (event.offsetY - canvas.clientHeight / 2) / this.view.scale);
    if (x >= 0 && y >= 0 && x < this.size.width && y < this.size.height) this.onProbe(x, y);
  }

  blink(on) { this.blinking = on; this.draw(); }

  draw() {
    if (!this.size) return;
    for (const pane of this.panes) this.drawPane(pane);
    this.onView(this.view.scale);
  }

  drawPane({ role, caption, canvas }) {
    const ratio = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const what = role === "actual" && this.blinking ? "expected" : role;
    caption.textContent = what === "swipe" ? (this.blinking ? "expected" : "expected | actual") : what;
    caption.parentElement.dataset.shows = what;
    if (what !== "swipe") this.drawPicture(context, this.pictures[what], width, height, 0, width);
    else this.drawSwipe(context, width, height);
    if (this.probe) this.drawProbe(context, width, height);
  }

  drawSwipe(context, width, height) {
    const edge = this.blinking ? width : Math.round(width * this.split);
    this.drawPicture(context, this.pictures.expected, width, height, 0, edge);
    this.drawPicture(context, this.pictures.actual, width, height, edge, width);
    context.fillStyle = "#fff";
    context.fillRect(edge - 0.5, 0, 1, height);
  }

  drawPicture(context, picture, width, height, from, to) {
    if (!picture) return;
    const { scale } = this.view, left = width / 2 - this.view.x * scale, top = height / 2 - this.view.y * scale;
    const differences = picture === this.pictures.difference, level = Math.max(0, Math.ceil(-Math.log2(scale * devicePixelRatio)));
    const levels = differences ? this.pictures.reductions : [picture], drawn = levels[Math.min(level, levels.length - 1)];
    const step = 2 ** levels.indexOf(drawn) * scale;
    context.save();
    context.beginPath();
    context.rect(from, 0, to - from, height);
    context.clip();
    if (!differences) this.drawChecks(context, left, top, picture.width * scale, picture.height * scale);
    context.imageSmoothingEnabled = scale < 1 && !differences;
    context.imageSmoothingQuality = "high";
    context.drawImage(drawn, left, top, drawn.width * step, drawn.height * step);
    context.restore();
  }

  /** The ground seen through transparent pixels. */
  drawChecks(context, left, top, width, height) {
    const tile = new OffscreenCanvas(16, 16), paint = tile.getContext("2d");
    for (const [color, places] of [["#b0b0b0", [[0, 0], [8, 8]]], ["#909090", [[8, 0], [0, 8]]]]) {
      paint.fillStyle = color;
      for (const [x, y] of places) paint.fillRect(x, y, 8, 8);
    }
    context.fillStyle = context.createPattern(tile, "repeat");
    context.fillRect(left, top, width, height);
  }

  drawProbe(context, width, height) {
    const { scale } = this.view, side = Math.max(scale, 7), extra = (side - scale) / 2;
    const left = width / 2 + (this.probe.x - this.view.x) * scale - extra, top = height / 2 + (this.probe.y - this.view.y) * scale - extra;
    context.lineWidth = 1;
    context.strokeStyle = "#000";
    context.strokeRect(left - 1, top - 1, side + 2, side + 2);
    context.strokeStyle = "#fff";
    context.strokeRect(left, top, side, side);
  }
}
