(() => {
  const box = document.currentScript.parentElement;
  const form = box.querySelector("form");
  const text = form.querySelector("input[type=search]");
  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  const rows = [...box.querySelectorAll("article")];
  const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const choose = () => {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const tags = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let shown = 0;
    for (const row of rows) {
      const fits = tags.has(row.dataset.tag) && wanted.every((word) => words.get(row).includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    for (const group of box.querySelectorAll("section")) {
      group.hidden = !group.querySelector("article:not([hidden])");
    }
    form.querySelector("output").textContent = `${shown} of ${rows.length} shown`;
  };
  const open = () => {
    const row = rows.find((row) => row.id && "#" + row.id === decodeURIComponent(location.hash));
    if (row?.hidden) {
      text.value = "";
      for (const box of boxes) box.checked = true;
      choose();
      row.scrollIntoView();
    }
  };
  form.hidden = false;
  form.addEventListener("input", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", open);
  choose();
  open();
})();
