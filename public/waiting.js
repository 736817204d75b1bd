// A page with `data-waiting` waits for someone else: the payment provider, or the receiver of a webhook. It is loaded again when a copy
// of it no longer waits.
const POLL_INTERVAL_MS = 1500;
const MAX_POLLS = 80;

async function poll(pollsLeft) {
  if (document.querySelector('[data-waiting]') === null || pollsLeft === 0) return;
  await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  const response = await fetch(location.href).catch(() => undefined);
  const next = response?.ok && new DOMParser().parseFromString(await response.text(), 'text/html');
  if (next && next.querySelector('[data-waiting]') === null) location.reload();
  else await poll(pollsLeft - 1);
}

void poll(MAX_POLLS);
