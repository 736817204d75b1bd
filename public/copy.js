// Copies the code that a button stands beside. Without this file there are no such buttons, and the code can be selected.
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

/** Over plain HTTP a page may not write the clipboard: then the code is selected, for the reader to copy. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}
