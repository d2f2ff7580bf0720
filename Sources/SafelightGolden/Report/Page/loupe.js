// The magnifier: the surroundings of one pixel on every side, with the stored samples of both sides.

class Loupe {
  reach = 4;  // pixels around the middle one
  cell = 13;  // screen points a pixel

  constructor(element) { this.element = element; }

  /** Shows the pixel at x, y: `shown` are canvases to look at, `stored` the decoded samples. */
  show(x, y, shown, stored) {
    const title = Object.assign(document.createElement("h3"), { textContent: `Pixel ${x}, ${y}` });
    const row = document.createElement("div");
    row.className = "cells";
    for (const role of ["expected", "actual", "difference"]) if (shown[role]) row.append(this.surroundings(role, shown[role], x, y));
    this.element.replaceChildren(title, row, this.values(x, y, stored));
    this.element.dataset.x = x;
    this.element.dataset.y = y;
  }

  surroundings(role, picture, x, y) {
    const figure = document.createElement("figure"), canvas = document.createElement("canvas"), side = 2 * this.reach + 1;
    const ratio = devicePixelRatio;
    canvas.width = canvas.height = side * this.cell * ratio;
    canvas.style.width = canvas.style.height = `${side * this.cell}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, (this.reach - x) * this.cell, (this.reach - y) * this.cell, picture.width * this.cell, picture.height * this.cell);
    const at = this.reach * this.cell;
    context.strokeStyle = "#000";
    context.strokeRect(at - 0.5, at - 0.5, this.cell + 1, this.cell + 1);
    context.strokeStyle = "#fff";
    context.strokeRect(at + 0.5, at + 0.5, this.cell - 1, this.cell - 1);
    figure.append(canvas, Object.assign(document.createElement("figcaption"), { textContent: role }));
    return figure;
  }

  values(x, y, { expected, actual }) {
    const one = expected ?? actual, both = expected && actual;
    const sample = (side, c) => side ? side.samples[(y * side.width + x) * side.channels + c] : null;
    const table = document.createElement("table");
    addRow(table, "th", ["", "expected", "actual", both ? "difference" : ""]);
    channelNames[one.channels].forEach((name, c) => {
      const e = sample(expected, c), a = sample(actual, c), d = both ? a - e : null;
      const row = addRow(table, "td", [name, e ?? "–", a ?? "–", both ? signed(d) : ""]);
      row.className = d > 0 ? "more" : d < 0 ? "less" : "";
    });
    return table;
  }
}

function addRow(table, kind, texts) {
  const row = table.insertRow();
  for (const text of texts) row.append(Object.assign(document.createElement(kind), { textContent: text }));
  return row;
}

function signed(number) { return number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0"; }
