// A file is read into the list by the browser, and then checked like a list that was pasted.
const MAX_BYTES = 500_000;
const [file, list] = ['file', 'list'].map((id) => document.getElementById(id));
file?.closest('[hidden]')?.removeAttribute('hidden');
file?.addEventListener('change', async () => {
  const [chosen] = file.files;
  if (chosen === undefined) return;
  file.setCustomValidity(chosen.size > MAX_BYTES ? 'Choose a text file of at most 500 KB.' : '');
  if (file.reportValidity()) list.value = await chosen.text();
});
