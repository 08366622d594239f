// Keeps the list fresh: asks for the page again and swaps in what changed. Without it, the page reloads itself.
"use strict";

const EVERY = 2000;
const PARTS = ["people", "letters"];

// A note is for once; reloading shouldn't say it again.
const here = new URL(location.href);
here.searchParams.delete("note");
history.replaceState(null, "", here);

async function refresh() {
  if (!document.hidden) {
    try {
      const answer = await fetch(here, { cache: "no-store", signal: AbortSignal.timeout(10000) });
      if (!answer.ok) throw new Error(answer.status);
      show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      document.getElementById("away").hidden = true;
    } catch {
      document.getElementById("away").hidden = false;
    }
  }
  setTimeout(refresh, EVERY);
}

function show(fresh) {
  document.title = fresh.title;
  const focus = document.activeElement?.getAttribute("href");
  for (const part of PARTS) {
    const before = document.getElementById(part);
    const after = fresh.getElementById(part);
    if (!before && after) location.reload(); // the very first mail
    if (!before || !after || before.innerHTML === after.innerHTML) continue;
    before.replaceWith(after);
    if (focus) after.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus();
  }
}

setTimeout(refresh, EVERY);
