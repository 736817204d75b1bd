// A reload after a key was made must not make another, nor may the secret stay in the history.
if (location.pathname !== '/dashboard') history.replaceState(null, '', '/dashboard');

// The provider's confirmation comes to the server, not here: look until the page has it.
const PAUSE_MS = 1500;
const MOST_LOOKS = 80;

async function lookAgain(looks) {
  const dashboard = document.getElementById('dashboard');
  if (!dashboard?.hasAttribute('data-waiting') || looks === 0) return;
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  const text = await fetch(location.href)
    .then((response) => response.text())
    .catch(() => '');
  const next = new DOMParser().parseFromString(text, 'text/html').getElementById('dashboard');
  if (next !== null && !next.hasAttribute('data-waiting')) location.reload();
  else await lookAgain(looks - 1);
}

void lookAgain(MOST_LOOKS);
