// A case in words and figures.

function describe(one, sameSequence) {
  const frames = state.entry?.frames;
  $("name").textContent = frames ? `${one.sequence} ${one.frame}` : one.name;
  $("status").textContent = $("status").dataset.status = one.status;
  $("kind").textContent = [one.width && `${one.width} × ${one.height}`, one.channels, one.depth && `${one.depth} bit`, one.device].filter(Boolean).join(" · ");
  if (!frames || !sameSequence) chart.show(frames, one); else chart.seek(frames, one);
  section("verdict", one.text, (text) => $("verdict").textContent = text);
  section("terms", one.terms.length && one.terms, termTable);
  $("tolerance").textContent = one.tolerance ?? "";
  section("metrics", one.metrics, metricTable);
  const paths = [["expected", one.expectedPath], ["actual", one.actualPath], ["again", one.reproduce], ["approve", one.approve]].filter(([, text]) => text);
  section("paths", paths.length && paths, pathList);
  history.replaceState(null, "", "#" + encodeURIComponent(one.name));
}

function section(id, value, fill) {
  $(`${id}-section`).hidden = !value;
  if (value) fill(value);
}

function termTable(terms) {
  $("terms").replaceChildren();
  addRow($("terms"), "th", ["asked", "measured", ""]);
  for (const { text, measured, unit, passes } of terms) {
    const row = addRow($("terms"), "td", [text, measured == null ? "–" : figure(measured) + unit, passes ? "holds" : "broken"]);
    row.className = passes ? "holds" : "broken";
  }
}

function metricTable(metrics) {
  $("metrics").replaceChildren();
  const { place } = metrics, share = (count) => `${count} px, ${figure(100 * count / metrics.pixels)} %`;
  const bias = ["gray", "red", "green", "blue", "alpha"].filter((name) => name in metrics.bias);
  addRow($("metrics"), "td", ["greatest", place ? `${metrics.maximum} in ${place.channel} at ${place.x}, ${place.y}` : "0"]);
  addRow($("metrics"), "td", ["mean", figure(metrics.mean)]);
  addRow($("metrics"), "td", ["bias", bias.map((name) => `${name} ${signed(Number(figure(metrics.bias[name])))}`).join(", ")]);
  addRow($("metrics"), "td", ["PSNR", metrics.psnr == null ? "identical" : `${figure(metrics.psnr)} dB`]);
  for (const [k, count] of Object.entries(metrics.over)) addRow($("metrics"), "td", [`over(${k})`, share(count)]);
  if (state.current.flicker != null) addRow($("metrics"), "td", ["flicker", figure(state.current.flicker)]);
}

function pathList(paths) {
  $("paths").replaceChildren(...paths.flatMap(([name, text]) => {
    const term = Object.assign(document.createElement("dt"), { textContent: name }), value = document.createElement("dd");
    value.append(Object.assign(document.createElement("code"), { textContent: text }));
    return [term, value];
  }));
}
