// A reload after creating a key must not submit the form again.
if (location.pathname !== '/dashboard') history.replaceState(null, '', '/dashboard');

// The payment provider confirms to the server, not to the browser, so the page polls until the server has it.
const POLL_INTERVAL_MS = 1500;
const MAX_POLLS = 80;

async function poll(pollsLeft) {
  const dashboard = document.getElementById('dashboard');
  if (!dashboard?.hasAttribute('data-waiting') || pollsLeft === 0) return;
  await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  const text = await fetch(location.href)
    .then((response) => response.text())
    .catch(() => '');
  const next = new DOMParser().parseFromString(text, 'text/html').getElementById('dashboard');
  if (next !== null && !next.hasAttribute('data-waiting')) location.reload();
  else await poll(pollsLeft - 1);
}

void poll(MAX_POLLS);
