// Fills a field with the text of a file that the user chooses.
for (const input of document.querySelectorAll('input[data-fills]')) {
  input.closest('.file').hidden = false;
  input.addEventListener('change', async () => {
    const [file] = input.files;
    if (file !== undefined) document.getElementById(input.dataset.fills).value = await file.text();
  });
}
