// Suggestions as you type: fetches the first results, which is free, and replaces the elements marked `data-live`. The address follows
// what is shown, so that it can be shared and Back returns to it. Only submitting the form opens the search itself.
const PAUSE_MS = 300;
const DEFAULTS = { activityType: 'unlicensed', pageSize: '25' };
const form = document.querySelector('form[data-live-search]');
let shown = form && parametersOf(form, readRendered);
let isOpened = location.search !== '';
// The page without a search: the home page or Explore.
const start = location.pathname;
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
// The menu and the filters have twenty stops, so the keyboard starts at the results. Back keeps the place on the page.
const [opening] = performance.getEntriesByType('navigation');
if (opening?.type !== 'back_forward' && document.activeElement === document.body)
  document.querySelector('.total[tabindex]')?.focus({ preventScroll: true });
// Back restores what was typed or chosen in the form; the page may still have other results.
if (form) addEventListener('pageshow', suggest);

/** Leaves out empty and default values, so that the address is short enough to share. */
function parametersOf(form, read = ({ value }) => value) {
  const parameters = new URLSearchParams();
  for (const field of form.elements) {
    const value = read(field);
    const isDefault = field.name === '' || value === '' || DEFAULTS[field.name] === value;
    if (!isDefault) parameters.set(field.name, value);
  }
  return parameters.toString() || 'q=';
}

/** The value that the page came with, whatever the browser has restored. */
function readRendered(field) {
  if (!(field instanceof HTMLSelectElement)) return field.defaultValue ?? '';
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value ?? '';
}

async function suggest() {
  const parameters = parametersOf(form);
  if (parameters === shown) return;
  pending?.abort();
  pending = new AbortController();
  const results = document.getElementById('results');
  const action = form.getAttribute('action');
  const isCleared = parameters === 'q=';
  results?.setAttribute('aria-busy', 'true');
  try {
    const address = `${form.dataset.liveSearch}?${parameters}`;
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal: pending.signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    // Without a search, Explore lists countries instead; the home page shows nothing.
    if (isCleared && start !== action) results?.replaceChildren();
    else replaceParts(page);
    shown = parameters;
    isOpened = false;
    history.replaceState(null, '', isCleared ? start : `${action}?${parameters}`);
  } catch (error) {
    // Without suggestions, the search itself still works.
    if (error.name === 'AbortError') return;
  }
  results?.removeAttribute('aria-busy');
}

function replaceParts(page) {
  const focused = document.querySelector(':focus:not(.total)');
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(part.id);
    // Replacing the element that has the focus would take the focus away, except for the line with the total.
    if (next !== null && !part.contains(focused)) part.replaceChildren(...next.childNodes);
  }
}

// `/` goes to the search field, and arrow keys move between it and the results.
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { activeElement } = document;
  const field = document.getElementById('q');
  if (event.key === '/' && field !== null && !activeElement?.matches('input, select, textarea')) {
    event.preventDefault();
    field.focus();
    field.select();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [field, ...document.querySelectorAll('.results .name')];
  const at = stops.indexOf(activeElement);
  if (step === undefined || at === -1 || stops[at + step] === undefined) return;
  event.preventDefault();
  stops[at + step].focus();
});
