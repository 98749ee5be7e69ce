// The model in the page: other elements, another machine, another algorithm, and everything answers.
'use strict';

(async () => {
  const find = (id) => document.getElementById(id);
  const ask = await openModel();
  if (ask === null) return;
  const form = find('settings'), row = find('elements');

  const inputs = () => [...row.querySelectorAll('input')];

  /** What the form says, and its elements. */
  function settings() {
    const of = (id) => find(id).value.trim();
    return {
      algorithm: of('algorithm'), beside: of('beside'), n: of('n'), op: of('op'), banks: of('banks'), warp: of('warp'), tile: of('tile'),
      order: of('order'), heads: find('heads').disabled ? '' : of('heads'), values: inputs().map((input) => input.value.trim()).join(','),
    };
  }

  const begin = {};

  /** Keeps in the address what is another than at the beginning, so that a link leads to it. */
  function keepAddress() {
    const now = settings();
    player.keep(Object.fromEntries(Object.entries(begin).map(([name, value]) => [name, now[name] === value ? '' : now[name]])));
  }

  function complain(text) {
    find('trouble').textContent = text;
    form.classList.toggle('wrong', text !== '');
  }

  /** Makes the row of elements say what the model took. */
  function showElements({ values, places }) {
    const boxes = inputs();
    if (boxes.length !== values.length || boxes[0]?.type !== (places ? 'text' : 'number')) {
      row.replaceChildren(...values.map((_, index) => make('li', {}, make('input', {
        'aria-label': `Element ${index}`, type: places ? 'text' : 'number', autocomplete: 'off', 'data-index': index,
      }))));
    }
    inputs().forEach((input, index) => {
      if (input.value !== values[index]) input.value = values[index];
      input.disabled = find('op').value === 'ranges';
    });
  }

  /** All of the page anew. */
  function change() {
    const answer = ask({ ...settings(), whole: true });
    complain(answer.error ?? '');
    if (answer.error) return;
    document.title = answer.title;
    find('head').innerHTML = answer.head;
    find('played').innerHTML = answer.played;
    showElements(answer);
    find('n').value = answer.values.length;
    find('heads').value = answer.heads ?? '';
    find('heads').disabled = answer.heads === null;
    player.load();
    keepAddress();
  }

  /** An element has another value: the same page with another run. */
  function changeElement(index) {
    const answer = ask({ ...settings(), lit: index });
    complain(answer.error ?? '');
    if (!answer.error) player.take(answer.runs, answer.lit);
  }

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', (event) => {
    if (event.target.id === 'op') row.replaceChildren();
    // Segments behind the last element go with it.
    if (event.target.id === 'n') find('heads').value = find('heads').value.split(',').filter((place) => Number(place) < Number(find('n').value)).join(',');
    change();
    const { index } = event.target.dataset;
    if (index !== undefined && !find('trouble').textContent) player.mark(ask({ ...settings(), lit: Number(index) }).lit);
  });
  row.addEventListener('input', (event) => changeElement(Number(event.target.dataset.index)));
  row.addEventListener('focusin', (event) => {
    const answer = ask({ ...settings(), lit: Number(event.target.dataset.index) });
    if (!answer.error) player.mark(answer.lit);
  });
  row.addEventListener('focusout', () => player.mark([]));

  // To drag an element is to count it up or down.
  const STEP = 8;
  let drag = null;
  row.addEventListener('pointerdown', (event) => {
    const input = event.target.closest('input');
    if (input?.type !== 'number' || input.disabled) return;
    drag = { input, x: event.clientX, from: Number(input.value), last: Number(input.value) };
    input.setPointerCapture(event.pointerId);
  });
  row.addEventListener('pointermove', (event) => {
    if (drag === null) return;
    const now = drag.from + Math.round((event.clientX - drag.x) / STEP);
    if (now === drag.last) return;
    drag.last = now;
    drag.input.value = now;
    changeElement(Number(drag.input.dataset.index));
  });
  const drop = () => {
    const dragged = drag;
    drag = null;
    if (dragged !== null && dragged.last !== dragged.from) dragged.input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  row.addEventListener('pointerup', drop);
  row.addEventListener('pointercancel', drop);

  showElements({ values: JSON.parse(row.dataset.values), places: row.dataset.places === 'true' });
  Object.assign(begin, settings());
  const asked = player.fragment();
  const changed = Object.keys(begin).filter((name) => asked.has(name));
  if (changed.length > 0) {
    changed.filter((name) => name !== 'values').forEach((name) => { find(name).value = asked.get(name); });
    if (asked.has('values')) showElements({ values: asked.get('values').split(','), places: ['affine', 'ranges'].includes(find('op').value) });
    else if (asked.has('op')) row.replaceChildren();
    change();
  }
  find('live').hidden = false;
  document.documentElement.dataset.model = 'ready';
})();
