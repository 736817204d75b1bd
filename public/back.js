// "Back to results" goes back in the history instead of opening the search again, which would use a request.
document.querySelector('a[data-back]')?.addEventListener('click', (event) => {
  // After a jump inside the page, the entry before is this page.
  if (document.referrer !== event.currentTarget.href || location.hash !== '') return;
  event.preventDefault();
  history.back();
});
