// What has nothing to do with programs: tabs, the divider, light and dark.

/** Tabs. Gives a function that says which one is shown, or shows one; `chosen` is told. */
export function tabs(place, chosen) {
  const all = [...place.querySelectorAll("[role=tab]")];
  let current = all[0].id;
  const show = (id) => {
    if (id === undefined || id === current) return current;
    current = id;
    for (const tab of all) {
      const selected = tab.id === id;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !selected;
    }
    chosen(id);
    return current;
  };
  for (const [index, tab] of all.entries()) {
    tab.onclick = () => show(tab.id);
    tab.onkeydown = ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const next = all[(index + step + all.length) % all.length];
      next.focus();
      show(next.id);
    };
  }
  return show;
}

/** A line to drag, which decides how wide the editor is. */
export function divider(line, place) {
  const set = (share) => place.style.setProperty("--share", `${Math.max(20, Math.min(80, share))}%`);
  const share = () => parseFloat(getComputedStyle(place).getPropertyValue("--share")) || 50;
  line.onpointerdown = (event) => {
    line.setPointerCapture(event.pointerId);
    line.onpointermove = ({ clientX }) => {
      const { left, width } = place.getBoundingClientRect();
      set((100 * (clientX - left)) / width);
    };
  };
  line.onpointerup = () => (line.onpointermove = null);
  line.onkeydown = ({ key }) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[key];
    if (step !== undefined) set(share() + step);
  };
}

/** Light or dark, as the system says, until somebody chooses. */
export function theme(button) {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = (name) => (root.dataset.theme = name);
  set(dark.matches ? "dark" : "light");
  dark.onchange = () => set(dark.matches ? "dark" : "light");
  button.onclick = () => set(root.dataset.theme === "dark" ? "light" : "dark");
}
