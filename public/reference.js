// The language of one example is the language of all, on every page of the reference.
const tabs = [...document.querySelectorAll('.tabs > input')];
const select = (language) => {
  for (const tab of tabs.filter(({ value }) => value === language)) tab.checked = true;
};
select(localStorage.getItem('language'));
addEventListener('change', ({ target }) => {
  if (!tabs.includes(target)) return;
  localStorage.setItem('language', target.value);
  select(target.value);
});
