// Exercises that check themselves, and the calculator.
(() => {
  'use strict';
  const find = (id) => document.getElementById(id);
  document.querySelectorAll('[data-live]').forEach((part) => { part.hidden = false; });

  const exercise = find('exercise');
  exercise?.addEventListener('submit', (event) => {
    event.preventDefault();
    const right = Number(find('guess').value) === Number(exercise.dataset.answer);
    find('verdict').textContent = right ? 'Right.' : 'Not so. ';
    find('hint').hidden = right;
    find('why').open = right;
  });

  const calculator = find('calculator');
  function calculate() {
    const have = find('gpu').selectedOptions[0].dataset;
    const of = (id) => Math.max(0, Math.floor(Number(find(id).value)));
    const limit = (name) => Number(have[name]);
    const warps = Math.max(1, Math.ceil(of('threads') / 32));
    const granule = limit('granule');
    const registers = warps * Math.ceil((32 * of('registers')) / granule) * granule;
    const fits = (all, need) => (need === 0 ? limit('blocks') : Math.min(limit('blocks'), Math.floor(all / need)));
    const allowed = {
      'by-threads': fits(limit('threads'), 32 * warps),
      'by-blocks': limit('blocks'),
      'by-registers': fits(limit('registers'), registers),
      'by-shared': fits(limit('shared'), of('shared') + limit('reserved')),
    };
    const isBlock = of('threads') >= 1 && of('threads') <= limit('block');
    const least = Math.min(...Object.values(allowed));
    const blocks = isBlock ? least : 0;
    const schedulers = limit('schedulers');
    const needed = schedulers * Math.ceil(of('latency') / Math.max(1, of('cycles') * of('between')));
    const occupancy = Math.floor((100 * 32 * blocks * warps) / limit('threads'));
    const shown = { ...allowed, blocks, warps: blocks * warps, occupancy, schedulers, needed };
    for (const [id, value] of Object.entries(shown)) find(id).textContent = value;
    const bound = Object.keys(allowed).filter((id) => allowed[id] === least).map((id) => find(id).dataset.what).join(' and ');
    const enough = blocks * warps >= needed;
    find('says').textContent = !isBlock ? `A block has 1 to ${limit('block')} threads.`
      : blocks === 0 ? `No block fits, by ${bound}: the kernel does not start.`
        : `What allows no more blocks: ${bound}. ${enough ? 'The latency is hidden.'
          : 'The latency is not hidden: more warps, or more instructions between two waits.'}`;
  }
  calculator?.addEventListener('input', calculate);
  calculator?.addEventListener('submit', (event) => event.preventDefault());
  if (calculator) calculate();
})();
