// The state of the page, and how keys and buttons change it.

const $ = (id) => document.getElementById(id);
const report = JSON.parse($("report").textContent);
report.cases.forEach((one, index) => one.index = index);

const modes = { side: "side by side", blink: "one", swipe: "swipe", difference: "difference" };
const kinds = { signed: "signed", absolute: "amount", heat: "FLIP" };
const state = { entry: null, current: null, kind: "signed", stored: {}, shown: {}, opening: 0 };

const stage = new Stage($("stage"), { onProbe: probe, onView: (scale) => $("zoom").textContent = `${Number((scale * 100).toPrecision(3))} %` });
const loupe = new Loupe($("loupe"));
const chart = new Chart($("chart"), (frame) => openCase(frame));
const index = new Index($("index"), $("search"), $("chips"), $("nothing"), report.cases, open);

function open(entry) {
  state.entry = entry;
  index.mark(entry);
  return openCase(entry.worst);
}

async function openCase(one) {
  const opening = ++state.opening, sameSequence = state.current && one.sequence != null && state.current.sequence === one.sequence;
  state.current = one;
  describe(one, sameSequence);
  const roles = ["expected", "actual", "flip", "mask"];
  const [expected, actual, flip, mask] = await Promise.all(roles.map((role) => embedded(one.index, role)));
  if (opening !== state.opening) return;  // another case was opened meanwhile
  state.stored = { expected, actual, flip, mask };
  state.shown = { expected: expected && shown(expected, mask), actual: actual && shown(actual, mask) };
  showPictures(sameSequence);
}

function comparable() {
  const { expected, actual } = state.stored;
  return expected && actual && ["width", "height", "channels", "depth"].every((fact) => expected[fact] === actual[fact]);
}

function showPictures(keepView) {
  const { expected, actual, flip } = state.stored, any = expected ?? actual;
  $("stage").hidden = $("toolbar").hidden = $("loupe").hidden = !any;
  $("no-pictures").hidden = Boolean(any);
  if (any) $("no-pictures").textContent = "";
  else $("no-pictures").textContent = state.current.picturesLeftOut ?? "Pictures of what passes are not in the report.";
  $("modes").hidden = !expected || !actual;
  kindButtons(flip);
  if (!keepView) $("gain").value = visibleGain();
  renewDifference();
  stage.show(state.shown, keepView);
  const place = state.current.metrics?.place;
  if (any) probe(...(keepView && stage.probe ? [stage.probe.x, stage.probe.y] : place ? [place.x, place.y] : [any.width >> 1, any.height >> 1]));
  document.body.dataset.shown = state.current.index;  // everything of the case is on the screen
}

/** The power of two that brings the greatest difference of the case near to the full color. */
function visibleGain() {
  const { metrics, depth } = state.current;
  return metrics?.maximum ? Math.floor(Math.log2((2 ** depth - 1) / metrics.maximum)) : 0;
}

function renewDifference() {
  const { expected, actual, flip, mask } = state.stored, gain = 2 ** $("gain").value;
  $("gain-value").textContent = `×${gain}`;
  const kind = state.kind === "heat" && !flip ? "signed" : state.kind;
  $("gain-label").hidden = kind === "heat" || !comparable();
  const made = !comparable() ? null
    : kind === "heat" ? heat(flip) : (kind === "signed" ? signedDifference : absoluteDifference)(expected, actual, mask, gain);
  state.shown.difference = made;
  state.shown.reductions = made && reductions(made, kind === "signed" ? equalGray : 0);
}

function redrawDifference() {
  renewDifference();
  stage.draw();
  if (stage.probe) loupe.show(stage.probe.x, stage.probe.y, state.shown, state.stored);
}

function probe(x, y) {
  const one = state.stored.expected ?? state.stored.actual;
  if (!one || x < 0 || y < 0 || x >= one.width || y >= one.height) return;
  stage.probe = { x, y };
  stage.draw();
  // Pictures of another size or kind stand side by side, but have no values to compare.
  const { expected, actual } = state.stored;
  loupe.show(x, y, state.shown, comparable() || !expected || !actual ? state.stored : { expected });
}

// Buttons and keys

function choiceButtons(element, choices, current, choose) {
  element.replaceChildren(...Object.entries(choices).map(([key, text]) => {
    const button = Object.assign(document.createElement("button"), { textContent: text });
    button.dataset.choice = key;
    button.setAttribute("aria-pressed", key === current);
    button.addEventListener("click", () => choose(key));
    return button;
  }));
}

function setMode(mode) {
  choiceButtons($("modes"), modes, mode, setMode);
  stage.setMode(mode);
}

function kindButtons(flip) {
  const offered = Object.fromEntries(Object.entries(kinds).filter(([kind]) => kind !== "heat" || flip));
  $("kinds").hidden = !comparable();
  choiceButtons($("kinds"), offered, offered[state.kind] ? state.kind : "signed", setKind);
}

function setKind(kind) {
  state.kind = kind;
  kindButtons(state.stored.flip);
  redrawDifference();
}

function setGain(step) {
  $("gain").value = Number($("gain").value) + step;
  redrawDifference();
}

function goToWorst() {
  const place = state.current.metrics?.place;
  if (!place) return;
  stage.setView(Math.max(16, stage.view.scale), place.x + 0.5, place.y + 0.5);
  probe(place.x, place.y);
}

function step(direction, onlyFailing) {
  const next = index.next(state.entry, direction, onlyFailing);
  if (next) open(next);
}

function stepFrame(direction) {
  const frames = state.entry?.frames, next = frames?.[frames.indexOf(state.current) + direction];
  if (next) openCase(next);
}

function nextKind() {
  const offered = [...$("kinds").children].map((button) => button.dataset.choice);
  setKind(offered[(offered.indexOf(state.kind) + 1) % offered.length]);
}

const move = (dx, dy) => stage.probe && probe(stage.probe.x + dx, stage.probe.y + dy);
const keys = {
  n: () => step(1, true), p: () => step(-1, true), j: () => step(1), k: () => step(-1), ",": () => stepFrame(-1), ".": () => stepFrame(1),
  1: () => setMode("side"), 2: () => setMode("blink"), 3: () => setMode("swipe"), 4: () => setMode("difference"), d: nextKind,
  "[": () => setGain(-1), "]": () => setGain(1), "+": () => stage.zoom(2), "=": () => stage.zoom(2), "-": () => stage.zoom(0.5),
  f: () => stage.fit(), z: () => stage.setView(1, stage.view.x, stage.view.y), w: goToWorst, "/": () => $("search").focus(), "?": () => $("help").showModal(),
  ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, -1), ArrowDown: () => move(0, 1), " ": () => stage.blink(true),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input[type=search]"), sliding = event.target.matches("input[type=range]");
  if (typing && event.key === "Escape") event.target.blur();
  if (typing || sliding && event.key.startsWith("Arrow") || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const act = keys[event.key];
  if (!act || !state.current) return;
  event.preventDefault();
  act();
});
document.addEventListener("keyup", (event) => { if (event.key === " ") { event.preventDefault(); stage.blink(false); } });
addEventListener("blur", () => stage.blink(false));

$("gain").addEventListener("input", redrawDifference);
$("fit").addEventListener("click", keys.f);
$("actual-size").addEventListener("click", keys.z);
$("worst").addEventListener("click", goToWorst);
$("help-button").addEventListener("click", keys["?"]);

// The beginning

document.title = $("title").textContent = report.title;
$("count").textContent = report.count;
$("origin").replaceChildren(...[report.device, report.canary, report.version].filter(Boolean)
  .map((text) => Object.assign(document.createElement("span"), { textContent: text })));
setMode("side");
const wanted = report.cases.find((one) => "#" + encodeURIComponent(one.name) === location.hash);
const first = wanted ? index.entries.find((entry) => entry.worst === wanted || entry.frames?.includes(wanted)) : index.entries[0];
if (first) { open(first); if (wanted && wanted !== first.worst) openCase(wanted); } else $("case").hidden = true;
