// The list of cases and sequences, the worst first.

const statuses = ["unsound", "damaged", "unreadable", "incomparable", "missing", "extra", "differs", "skipped", "within", "exact"];
const failing = (status) => statuses.indexOf(status) < statuses.indexOf("skipped");

/** One entry for each case; the frames of a sequence are one entry, which is as bad as its worst frame. */
function entries(cases) {
  const bySequence = new Map(), all = [];
  for (const one of cases) {
    const known = one.sequence != null && bySequence.get(one.sequence);
    if (known) { known.frames.push(one); continue; }
    const entry = one.sequence != null ? { name: one.sequence, frames: [one] } : { name: one.name, worst: one };
    if (one.sequence != null) bySequence.set(one.sequence, entry);
    all.push(entry);
  }
  for (const entry of all) {
    if (!entry.frames) continue;
    entry.frames.sort((a, b) => a.frame - b.frame);
    entry.worst = entry.frames.reduce((worst, frame) => frame.severity > worst.severity ? frame : worst);
  }
  return all.sort((a, b) => b.worst.severity - a.worst.severity);
}

class Index {
  chosen = new Set();  // statuses shown; none: all

  constructor(list, search, chips, nothing, cases, onOpen) {
    Object.assign(this, { list, search, nothing, onOpen, entries: entries(cases) });
    list.replaceChildren(...this.entries.map((entry) => this.row(entry)));
    chips.replaceChildren(...this.statusChips());
    search.addEventListener("input", () => this.filter());
  }

  row(entry) {
    const item = document.createElement("li"), button = document.createElement("button"), { worst, frames } = entry;
    item.dataset.status = worst.status;
    const name = Object.assign(document.createElement("span"), { className: "name", textContent: entry.name, title: entry.name });
    const status = Object.assign(document.createElement("span"), { className: "status", textContent: worst.status });
    status.dataset.status = worst.status;
    button.append(status, name, Object.assign(document.createElement("span"), { className: "detail", textContent: this.detail(entry) }));
    if (frames) {
      const strip = svgElement("svg", { viewBox: `0 0 ${frames.length} 4`, preserveAspectRatio: "none", height: 4, class: "strip" });
      strip.append(...statusBlocks(frames, 4));
      button.append(strip);
    }
    button.addEventListener("click", () => this.onOpen(entry));
    item.append(button);
    entry.item = item;
    return item;
  }

  detail({ worst, frames }) {
    if (frames) return `${frames.filter((frame) => failing(frame.status)).length} of ${frames.length} frames fail`;
    return worst.status === "differs" && worst.metrics ? `max ${worst.metrics.maximum}` : "";
  }

  statusChips() {
    return statuses.filter((status) => this.entries.some((entry) => entry.worst.status === status)).map((status) => {
      const chip = document.createElement("button"), count = this.entries.filter((entry) => entry.worst.status === status).length;
      chip.textContent = `${status} ${count}`;
      chip.dataset.status = status;
      chip.setAttribute("aria-pressed", "false");
      chip.addEventListener("click", () => {
        if (!this.chosen.delete(status)) this.chosen.add(status);
        chip.setAttribute("aria-pressed", this.chosen.has(status));
        this.filter();
      });
      return chip;
    });
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/);
    for (const entry of this.entries) {
      const named = words.every((word) => entry.name.toLowerCase().includes(word));
      entry.item.hidden = !named || this.chosen.size > 0 && !this.chosen.has(entry.worst.status);
    }
    this.nothing.hidden = this.entries.some((entry) => !entry.item.hidden);
  }

  mark(entry) {
    for (const other of this.entries) other.item.firstChild.removeAttribute("aria-current");
    entry.item.firstChild.setAttribute("aria-current", "true");
    entry.item.scrollIntoView({ block: "nearest" });
  }

  /** The next entry in `direction` of those that are shown, from the start again after the end; null if there is none. */
  next(entry, direction, onlyFailing) {
    const count = this.entries.length, from = this.entries.indexOf(entry);
    for (let step = 1; step <= count; step++) {
      const other = this.entries[((from + direction * step) % count + count) % count];
      if (!other.item.hidden && (!onlyFailing || failing(other.worst.status))) return other;
    }
    return null;
  }
}
