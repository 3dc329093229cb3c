// Sets the colour scheme before anything is painted, so that no light page flashes in a dark room.
// A file and not inline, because the page allows no inline script.
(function () {
  var kept = null;
  try { kept = JSON.parse(localStorage.getItem('lade.preferences') || '{}').theme; } catch (error) { kept = null; }
  var dark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
