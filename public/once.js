// A secret is shown once, on the page after its form. A second click would replace that page by one that says so.
const sent = new WeakSet();

document.addEventListener('submit', (event) => {
  if (event.target.elements.once === undefined) return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
