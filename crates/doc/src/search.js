// The search box: names that contain what is typed, the best first.
(function () {
  var header = document.querySelector("header");
  var box = document.getElementById("search");
  var list = document.getElementById("found");
  var chosen = 0;
  function rank(name, wanted) {
    var at = name.toLowerCase().indexOf(wanted);
    if (at < 0) return -1;
    var last = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
    return (last === wanted ? 0 : last.startsWith(wanted) ? 1 : 2) * 1000 + name.length;
  }
  function mark() {
    Array.prototype.forEach.call(list.children, function (item, index) {
      item.className = index === chosen ? "chosen" : "";
    });
  }
  function show() {
    var wanted = box.value.trim().toLowerCase();
    list.textContent = "";
    chosen = 0;
    if (wanted) {
      NAMES.map(function (entry) { return [rank(entry[0], wanted), entry]; })
        .filter(function (pair) { return pair[0] >= 0; })
        .sort(function (a, b) { return a[0] - b[0]; })
        .slice(0, 12)
        .forEach(function (pair) {
          var item = document.createElement("li");
          var link = document.createElement("a");
          link.href = header.dataset.top + pair[1][2];
          link.textContent = pair[1][0];
          var kind = document.createElement("small");
          kind.textContent = pair[1][1] + " in " + pair[1][3];
          item.append(link, kind);
          list.append(item);
        });
      if (!list.firstChild) list.textContent = "Nothing found.";
    }
    list.hidden = !wanted;
    mark();
  }
  box.addEventListener("input", show);
  box.addEventListener("keydown", function (event) {
    var count = list.children.length;
    if (event.key === "ArrowDown" && count) chosen = (chosen + 1) % count;
    else if (event.key === "ArrowUp" && count) chosen = (chosen + count - 1) % count;
    else if (event.key === "Enter" && count) { location.href = list.children[chosen].firstChild.href; list.hidden = true; }
    else if (event.key === "Escape") { box.value = ""; show(); box.blur(); }
    else return;
    event.preventDefault();
    mark();
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
  });
  document.addEventListener("click", function (event) {
    if (!header.contains(event.target) || event.target.tagName === "A") list.hidden = true;
  });
})();
