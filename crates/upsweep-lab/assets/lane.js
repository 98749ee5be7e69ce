// A run's part of a page: its picture, what is said of the step, its code, its memory, its counts. A page has one of them, or two.
'use strict';

/** The lane of a run; its elements' names end with `suffix`. `say` tells what is pointed at. */
function makeLane(run, suffix, say) {
  const find = (name) => document.getElementById(name + suffix);
  const last = run.steps.length;
  const code = [...(find('code')?.querySelectorAll('[data-steps]') ?? [])];
  const svg = find('stage');
  const stage = makeStage(run, svg);
  const showBanks = find('bank-area') ? makeBanks(run, { area: find('bank-area'), choice: find('access'), box: find('bank-box') }) : () => {};
  const showTiles = find('tiles') ? makeTiles(run, { area: find('tiles'), table: find('tile-table') }) : () => {};
  const lists = new Map();
  const hint = 'Point at a word or a thread to see who reads and writes it.';
  let at = 0;
  let marks = null;

  function tell(step, number) {
    const now = find('now');
    const title = document.createElement('strong');
    if (number === 0) {
      title.textContent = 'Before the first step.';
      now.replaceChildren(title, ` The run has ${last} steps.`);
      return;
    }
    title.textContent = `Step ${number} of ${last}: ${step.label}.`;
    const [active, operations, , , , , shuffles, barriers, , conflicts, worst, cycles] = step.counts;
    const many = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
    const parts = [`${active} of ${many(step.threads, 'thread')} active`];
    if (operations > 0) parts.push(many(operations, 'operation'));
    if (shuffles > 0) parts.push(many(shuffles, 'shuffle'));
    if (cycles > 0) parts.push(many(cycles, 'cycle'));
    if (worst > 1) parts.push(`${many(conflicts, 'bank conflict')}, the worst ${worst}-way`);
    if (step.divergent.length > 0) parts.push(`divergent: warp ${step.divergent.join(', ')}`);
    const end = barriers > 0 ? ' Then all threads wait at a barrier.' : '';
    const fault = run.fault && number === last ? ` The model stops: ${run.fault.text}.` : '';
    now.replaceChildren(title, ` Kernel ${step.kernel}, block ${step.block}: ${parts.join('; ')}.${end}${fault}`);
  }

  /** A title and the words of an array or register, with their indices; only what differs from before is made anew. */
  function listOf(key, name, place, values, styleOf) {
    if (lists.get(key)?.words.length !== values.length) {
      const words = values.map((_, index) => make('li', {}, make('small', {}, `${index}`), ''));
      const list = make('ol', { class: run.column > 44 ? 'words wide' : 'words' }, ...words);
      lists.set(key, { words, parts: [make('h3', {}, name, make('span', {}, place)), list] });
    }
    const { words, parts } = lists.get(key);
    values.forEach((value, index) => {
      const text = value === null ? '\u00a0' : run.shown(value), style = styleOf(index);
      if (words[index].lastChild.data !== text) words[index].lastChild.data = text;
      if (words[index].className !== style) words[index].className = style;
    });
    return parts;
  }

  function showMemory(memory, number, depends) {
    const area = find('memory');
    if (area === null) return;
    const written = new Set(number === 0 ? [] : run.steps[number - 1].events.flatMap((e) => e[2].map((p) => `${p[0]}:${p[1]}`)));
    const style = (isNew, marked) => [isNew ? 'new' : '', marked ? 'depends' : ''].join(' ').trim();
    const registers = [...run.registersAfter(number)].flatMap(([name, values]) => (
      listOf(name, name, ' registers', values, (thread) => style(false, depends.registers.has(`${name}:${thread}`)))));
    const parts = [...registers, ...run.arrays.flatMap((array, place) => {
      if (array.since > number || (array.until !== null && array.until < number)) return [];
      const marked = (index) => depends.words.has(`${place}:${index}`);
      const made = listOf(place, array.name, ` ${array.place}`, memory[place], (index) => style(written.has(`${place}:${index}`), marked(index)));
      made[1].dataset.array = place;
      return made;
    })];
    const now = area.children;
    if (parts.length !== now.length || parts.some((part, place) => part !== now[place])) area.replaceChildren(...parts);
  }

  /** Lights the lines of the pseudocode that the step is. */
  function showCode(step) {
    for (const line of code) {
      const names = line.dataset.steps.split('|');
      const lit = step !== undefined && (names.includes(step.label) || names.includes(`${step.kernel}: ${step.label}`));
      line.classList.toggle('lit', lit);
      if (lit) line.setAttribute('aria-current', 'step'); else line.removeAttribute('aria-current');
    }
  }

  function showCounts(number) {
    const rows = find('counts')?.tBodies[0].rows ?? [];
    [...rows].forEach((row, place) => {
      const sums = [number === 0 ? 0 : run.steps[number - 1].counts[place], sumOf(number, place, 'most' in row.dataset)];
      sums.forEach((sum, column) => {
        row.cells[column + 1].textContent = sum.toLocaleString('en');
        row.cells[column + 1].className = sum === 0 ? 'zero' : '';
      });
    });
  }

  /** What was counted in the first `number` steps: the sum, or the most of any step. */
  function sumOf(number, place, most) {
    return run.steps.slice(0, number).reduce((sum, { counts }) => (most ? Math.max(sum, counts[place]) : sum + counts[place]), 0);
  }

  /** The longest chain up to the end of a step so far: of operations (0), or of cycles (1). */
  const chainOf = (number, kind) => run.steps.slice(0, number).reduce((most, { after }) => Math.max(most, after[kind]), 0);

  function show(number, moves, size) {
    at = Math.min(last, Math.max(0, number));
    const before = run.memoryAfter(Math.max(0, at - 1)), after = run.memoryAfter(at);
    const depends = [run.dependsAfter(Math.max(0, at - 1), marks), run.dependsAfter(at, marks)];
    const key = document.activeElement?.closest('svg.stage') === svg ? document.activeElement.closest('[data-key]')?.dataset.key : undefined;
    stage.draw(at, before, after, depends);
    stage.fit(size, !stage.isFitted());
    svg.classList.toggle('moving', moves);
    const nodes = stage.stops();
    const same = nodes.find((node) => node.dataset.key === key) ?? nodes[0];
    same?.setAttribute('tabindex', '0');
    if (key !== undefined) (same ?? document.getElementById('play')).focus();
    requestAnimationFrame(stage.showActive);
    say(hint);
    tell(run.steps[at - 1], at);
    showMemory(after, at, depends[1]);
    showCounts(at);
    showCode(run.steps[at - 1]);
    showBanks(run.steps[at - 1]);
    showTiles(after, at);
  }

  function point(node) {
    svg.querySelectorAll('.lit').forEach((lit) => lit.classList.remove('lit'));
    svg.classList.toggle('pointing', node !== null);
    say(node === null ? hint : node.getAttribute('aria-label') ?? stage.labels.get(node.dataset.key)());
    if (node === null) return;
    const key = node.dataset.key;
    for (const arrow of svg.querySelectorAll('.arrow')) {
      const { from, to } = arrow.dataset;
      if (from !== key && to !== key) continue;
      arrow.classList.add('lit');
      svg.querySelector(`[data-key="${from === key ? to : from}"]`)?.classList.add('lit');
    }
  }

  const nodeOf = (event) => (event.target instanceof Element ? event.target.closest('[data-key]') : null);

  /** From a word or thread of the picture to the next one. */
  function fromStop(event) {
    const nodes = stage.stops();
    const now = nodes.indexOf(nodeOf(event));
    const next = nodes[now + (event.key === 'ArrowDown' ? 1 : -1)];
    if (now < 0 || next === undefined) return;
    nodes[now].setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
    event.preventDefault();
  }

  svg.addEventListener('pointerover', (event) => point(nodeOf(event)));
  svg.addEventListener('pointerleave', () => point(document.activeElement?.closest('svg.stage') === svg ? document.activeElement.closest('[data-key]') : null));
  svg.addEventListener('focusin', (event) => point(nodeOf(event)));
  svg.addEventListener('focusout', () => point(null));
  svg.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') fromStop(event);
  });

  return { last, show, sumOf, chainOf, fit: (size) => stage.fit(size, true), showActive: stage.showActive, mark: (next) => { marks = next; } };
}
