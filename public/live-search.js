// Results as you type: fetches the page that the form would open and replaces the elements marked `data-live`.
const PAUSE_MS = 400;
const form = document.querySelector('form[data-live-search]');
let shown = form && addressOf(form);
let timer;
let pending;

form?.addEventListener('input', ({ target }) => {
  clearTimeout(timer);
  timer = setTimeout(refresh, target instanceof HTMLSelectElement ? 0 : PAUSE_MS);
});
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(timer);
  refresh();
});

/** Leaves out empty and default values, so that the address is short enough to share. */
function addressOf(form) {
  const parameters = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const isDefault =
      value === '' || (name === 'activityType' && value === 'unlicensed') || (name === 'pageSize' && value === '25');
    if (!isDefault) parameters.set(name, value);
  }
  return `${form.getAttribute('action')}?${parameters.toString() || 'q='}`;
}

async function refresh() {
  const address = addressOf(form);
  if (address === shown) return;
  pending?.abort();
  pending = new AbortController();
  const results = document.getElementById('results');
  results?.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal: pending.signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    // An error page has no results: open it as a page.
    if (page.getElementById('results') === null) return location.assign(address);
    replaceParts(page);
    shown = address;
    history.replaceState(null, '', address);
  } catch (error) {
    if (error.name === 'AbortError') return;
    location.assign(address);
  }
  results?.removeAttribute('aria-busy');
}

function replaceParts(page) {
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(part.id);
    // Replacing the element that has the focus would take the focus away.
    if (next !== null && !part.contains(document.activeElement)) part.replaceChildren(...next.childNodes);
  }
}
