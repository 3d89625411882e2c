(() => {
  const data = JSON.parse(document.getElementById("events").textContent);
  const canvas = document.getElementById("timeline"), told = document.getElementById("told");
  const draw = canvas.getContext("2d"), row = 18, gap = 20;
  const rows = data.tracks.map(track => 1 + Math.max(0, ...track.events.map(event => event[2])));
  const all = Math.max(1, ...data.tracks.flatMap(track => track.events.map(event => event[1])));
  let from = 0, to = all, width = 0;
  const units = ns => ns < 1e3 ? ns.toFixed(0) + " ns" : ns < 1e6 ? (ns / 1e3).toFixed(1) + " us"
    : ns < 1e9 ? (ns / 1e6).toFixed(2) + " ms" : (ns / 1e9).toFixed(2) + " s";
  const colour = name => {
    let sum = 7;
    for (const c of data.names[name]) sum = (sum * 31 + c.charCodeAt(0)) % 360;
    return `hsl(${sum} 60% 62%)`;
  };
  const each = visit => {
    let top = 0;
    data.tracks.forEach((track, number) => {
      visit(null, top, track);
      for (const event of track.events) visit(event, top + gap + event[2] * row, track);
      top += gap + rows[number] * row;
    });
    return top;
  };
  const x = time => (time - from) / (to - from) * width;
  function paint() {
    const ratio = window.devicePixelRatio || 1;
    const height = data.tracks.reduce((sum, _, k) => sum + gap + rows[k] * row, 18);
    width = canvas.clientWidth;
    canvas.width = width * ratio; canvas.height = height * ratio; canvas.style.height = height + "px";
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.clearRect(0, 0, width, height);
    draw.font = "11px ui-monospace, monospace";
    const ink = getComputedStyle(document.body).color;
    each((event, top, track) => {
      if (event === null) { draw.fillStyle = ink; draw.fillText(track.name, 4, top + 14); return; }
      const left = Math.max(-1, x(event[0])), right = Math.min(width + 1, x(event[1]));
      if (right < 0 || left > width) return;
      draw.fillStyle = colour(event[3]);
      draw.fillRect(left, top, Math.max(0.5, right - left - 0.5), row - 2);
      const room = Math.floor((right - left - 6) / 6.7);
      if (room > 2) { draw.fillStyle = "#1f2328"; draw.fillText(data.names[event[3]].slice(0, room), left + 3, top + 12); }
    });
    draw.fillStyle = ink;
    draw.fillText(units(from), 4, height - 5);
    const end = units(to);
    draw.fillText(end, width - 7 * end.length - 4, height - 5);
  }
  function clamp(start, end) {
    const span = Math.min(all, Math.max(100, end - start));
    from = Math.max(0, Math.min(all - span, start)); to = from + span; paint();
  }
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const at = from + event.offsetX / width * (to - from), factor = Math.exp(event.deltaY / 400);
    clamp(at - (at - from) * factor, at + (to - at) * factor);
  }, { passive: false });
  let held = null;
  canvas.addEventListener("pointerdown", event => { held = [event.clientX, from, to]; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("dblclick", () => clamp(0, all));
  canvas.addEventListener("pointermove", event => {
    if (held) {
      const by = (held[0] - event.clientX) / width * (held[2] - held[1]);
      clamp(held[1] + by, held[2] + by);
      return;
    }
    let found = "\u00a0";
    each((bar, top) => {
      if (bar && event.offsetY >= top && event.offsetY < top + row && event.offsetX >= x(bar[0]) && event.offsetX <= x(bar[1])) {
        found = data.names[bar[3]] + (bar[4] ? ", line " + bar[4] : "") + ": " + units(bar[1] - bar[0]);
      }
    });
    told.textContent = found;
  });
  window.addEventListener("resize", paint);
  paint();
})();
