// Copies the code or number next to a button. Without this script the buttons stay hidden and users select the text.
document.documentElement.dataset.script = 'on';

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-copy]') : null;
  const code = button?.closest('figure, .copyable')?.querySelector('pre, code');
  if (!button || !code) return;
  const isCopied = await copy(code);
  button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
  announce(isCopied ? 'Copied' : 'Selected. Press Ctrl+C to copy.');
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
});

/** Screen readers read out changes of an element that was there before. */
const status = document.createElement('p');
status.className = 'hidden';
status.setAttribute('role', 'status');
document.body.append(status);

function announce(text) {
  status.textContent = text;
  setTimeout(() => {
    status.textContent = '';
  }, 2000);
}

/** Browsers allow clipboard access only over HTTPS. Otherwise the code is selected, ready to copy. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}
