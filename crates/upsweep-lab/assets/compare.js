// Algorithms side by side: other elements, another machine, one algorithm more, and the table is counted anew.
'use strict';

(async () => {
  const find = (id) => document.getElementById(id);
  const form = find('comparison');
  const ask = await openModel();
  if (form === null || ask === null) return;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', () => {
    const names = [form.dataset.names, find('compare-more').value].filter((name) => name !== '').join(',');
    const [n, banks, log] = ['n', 'banks', 'log'].map((name) => find(`compare-${name}`).value.trim());
    const answer = ask({ compare: names, n, banks, log });
    find('compare-trouble').textContent = answer.error ?? '';
    if (!answer.error) find('compared').innerHTML = answer.compared;
  });
  form.hidden = false;
  document.documentElement.dataset.model = 'ready';
})();
