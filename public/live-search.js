// Suggestions as you type: fetches the first results, which is free, and replaces the elements marked `data-live`. Only
// submitting the form opens the search itself.
const PAUSE_MS = 300;
const form = document.querySelector('form[data-live-search]');
let shown = form && parametersOf(form);
let isOpened = location.search !== '';
let timer;
let pending;

form?.addEventListener('input', ({ target }) => {
  clearTimeout(timer);
  timer = setTimeout(suggest, target instanceof HTMLSelectElement ? 0 : PAUSE_MS);
});
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(timer);
  pending?.abort();
  // The results of this search are already on the page: opening it again would only use a request.
  if (isOpened && shown === parametersOf(form)) return;
  location.assign(`${form.getAttribute('action')}?${parametersOf(form)}`);
});

/** Leaves out empty and default values, so that the address is short enough to share. */
function parametersOf(form) {
  const parameters = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const isDefault =
      value === '' || (name === 'activityType' && value === 'unlicensed') || (name === 'pageSize' && value === '25');
    if (!isDefault) parameters.set(name, value);
  }
  return parameters.toString() || 'q=';
}

async function suggest() {
  const parameters = parametersOf(form);
  if (parameters === shown) return;
  pending?.abort();
  pending = new AbortController();
  const results = document.getElementById('results');
  results?.setAttribute('aria-busy', 'true');
  try {
    const address = `${form.dataset.liveSearch}?${parameters}`;
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal: pending.signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    replaceParts(page);
    shown = parameters;
    isOpened = false;
  } catch (error) {
    // Without suggestions, the search itself still works.
    if (error.name === 'AbortError') return;
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
