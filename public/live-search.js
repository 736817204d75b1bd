// Results as you type: asks for the page that the form would lead to, and takes over its parts marked `data-live`.
const PAUSE_MS = 400;
const form = document.querySelector('form[data-live-search]');
let shown = form && addressOf(form);
let timer;
let asking;

form?.addEventListener('input', ({ target }) => {
  clearTimeout(timer);
  timer = setTimeout(refresh, target instanceof HTMLSelectElement ? 0 : PAUSE_MS);
});
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(timer);
  refresh();
});

/** What is empty is left out, so that the address is short enough to share. */
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
  asking?.abort();
  asking = new AbortController();
  const results = document.getElementById('results');
  results?.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal: asking.signal });
    // A session that ended leads to a page without results: then the browser goes there.
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (page.getElementById('results') === null) return location.assign(address);
    takeOver(page);
    shown = address;
    history.replaceState(null, '', address);
  } catch (error) {
    if (error.name === 'AbortError') return;
    location.assign(address);
  }
  results?.removeAttribute('aria-busy');
}

function takeOver(page) {
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(part.id);
    // What one is using stays as it is.
    if (next !== null && !part.contains(document.activeElement)) part.replaceChildren(...next.childNodes);
  }
}
