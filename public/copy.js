// Copies the code next to a button. Without this script the buttons stay hidden and users select the code themselves.
document.documentElement.dataset.script = 'on';

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-copy]') : null;
  const code = button?.closest('figure')?.querySelector('pre');
  if (!button || !code) return;
  const isCopied = await copy(code);
  button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
});

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
