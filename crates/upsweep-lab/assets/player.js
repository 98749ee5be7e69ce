// Steps, playing, pointing at words and threads.
(() => {
  const find = (id) => document.getElementById(id);
  const slider = find('step'), speed = find('speed'), play = find('play'), what = find('what'), size = find('size');
  const code = [...document.querySelectorAll('#code [data-steps]')];
  const last = run.steps.length;
  const icon = play.querySelector('path');
  const icons = { play: icon.getAttribute('d'), pause: 'M6 4V16M14 4V16' };
  const hint = 'Point at a word or a thread to see who reads and writes it.';
  let at = 0;
  let timer = null;
  let address = null;

  function say(step, number) {
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

  const lists = new Map();

  /** A title and the words of an array or register, with their indices; only what differs from before is made anew. */
  function listOf(key, name, place, values, isNew) {
    if (lists.get(key)?.words.length !== values.length) {
      const words = values.map((_, index) => make('li', {}, make('small', {}, `${index}`), ''));
      const list = make('ol', { class: run.column > 44 ? 'words wide' : 'words' }, ...words);
      lists.set(key, { words, parts: [make('h3', {}, name, make('span', {}, place)), list] });
    }
    const { words, parts } = lists.get(key);
    values.forEach((value, index) => {
      const text = value === null ? '\u00a0' : shown(value), style = isNew(index) ? 'new' : '';
      if (words[index].lastChild.data !== text) words[index].lastChild.data = text;
      if (words[index].className !== style) words[index].className = style;
    });
    return parts;
  }

  function showMemory(memory, number) {
    const written = new Set(number === 0 ? [] : run.steps[number - 1].events.flatMap((e) => e[2].map((p) => `${p[0]}:${p[1]}`)));
    const registers = [...registersAfter(number)].flatMap(([name, values]) => listOf(name, name, ' registers', values, () => false));
    const parts = [...registers, ...run.arrays.flatMap((array, place) => {
      if (array.since > number || (array.until !== null && array.until < number)) return [];
      const made = listOf(place, array.name, ` ${array.place}`, memory[place], (index) => written.has(`${place}:${index}`));
      made[1].dataset.array = place;
      return made;
    })];
    const now = find('memory').children;
    if (parts.length !== now.length || parts.some((part, place) => part !== now[place])) find('memory').replaceChildren(...parts);
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

  /** The step in the address, so that a link leads to it; late, as browsers count how often that is done. */
  function keepAddress() {
    clearTimeout(address);
    address = setTimeout(() => history.replaceState(null, '', at === 0 ? '#' : `#step=${at}`), 300);
  }

  function fromAddress() {
    const found = /^#step=(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  }

  function showCounts(number) {
    const rows = find('counts').tBodies[0].rows;
    [...rows].forEach((row, place) => {
      const counts = run.steps.slice(0, number).map((step) => step.counts[place]);
      const most = 'most' in row.dataset;
      const sums = [number === 0 ? 0 : counts[number - 1], counts.reduce((a, b) => (most ? Math.max(a, b) : a + b), 0)];
      sums.forEach((sum, column) => {
        row.cells[column + 1].textContent = sum.toLocaleString('en');
        row.cells[column + 1].className = sum === 0 ? 'zero' : '';
      });
    });
  }

  function show(number) {
    const forward = number === at + 1;
    at = Math.min(last, Math.max(0, number));
    const key = document.activeElement?.closest('#stage [data-key]')?.dataset.key;
    const after = memoryAfter(at);
    drawStage(at, memoryAfter(at - 1), after);
    fitStage(size.value, boxWidth === 0);
    stage.classList.toggle('moving', forward);
    const nodes = stops();
    const same = nodes.find((node) => node.dataset.key === key) ?? nodes[0];
    same?.setAttribute('tabindex', '0');
    if (key !== undefined) (same ?? play).focus();
    requestAnimationFrame(showActive);
    what.textContent = hint;
    say(run.steps[at - 1], at);
    showMemory(after, at);
    showCounts(at);
    showCode(run.steps[at - 1]);
    showBanks(run.steps[at - 1]);
    showTiles(after, at);
    keepAddress();
    slider.value = at;
    slider.setAttribute('aria-valuetext', `step ${at} of ${last}`);
    find('number').textContent = `${at} of ${last}`;
    find('first').disabled = find('back').disabled = at === 0;
    find('last').disabled = find('forward').disabled = at === last;
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    icon.setAttribute('d', icons.play);
    play.setAttribute('aria-label', 'Play (space)');
    play.title = 'Play (space)';
  }

  function start() {
    if (at === last) show(0);
    timer = setInterval(() => {
      show(at + 1);
      if (at === last) stop();
    }, 1400 / Number(speed.value));
    icon.setAttribute('d', icons.pause);
    play.setAttribute('aria-label', 'Pause (space)');
    play.title = 'Pause (space)';
  }

  function toggle() {
    if (timer === null) start(); else stop();
  }

  function go(number) {
    stop();
    show(number);
  }

  /** The words and threads of the picture that take part in the step. */
  function stops() {
    return [...stage.querySelectorAll('[data-key][tabindex]')];
  }

  function point(node) {
    stage.querySelectorAll('.lit').forEach((lit) => lit.classList.remove('lit'));
    stage.classList.toggle('pointing', node !== null);
    what.textContent = node === null ? hint : node.getAttribute('aria-label') ?? labels.get(node.dataset.key)();
    if (node === null) return;
    const key = node.dataset.key;
    for (const arrow of stage.querySelectorAll('.arrow')) {
      const { from, to } = arrow.dataset;
      if (from !== key && to !== key) continue;
      arrow.classList.add('lit');
      stage.querySelector(`[data-key="${from === key ? to : from}"]`)?.classList.add('lit');
    }
  }

  function nodeOf(event) {
    return event.target instanceof Element ? event.target.closest('[data-key]') : null;
  }

  function fromStop(event) {
    const nodes = stops();
    const now = nodes.indexOf(nodeOf(event));
    const next = nodes[now + (event.key === 'ArrowDown' ? 1 : -1)];
    if (now < 0 || next === undefined) return;
    nodes[now].setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
    event.preventDefault();
  }

  const keys = { ' ': toggle, ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), Home: () => go(0), End: () => go(last) };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.target instanceof Element)) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') return fromStop(event);
    const act = keys[event.key];
    // Where a key has a meaning of its own, it keeps it.
    const own = event.key === ' ' ? 'button, select, a' : 'select, input, .picture';
    if (act === undefined || event.target.closest(own)) return;
    event.preventDefault();
    act();
  });
  stage.addEventListener('pointerover', (event) => point(nodeOf(event)));
  stage.addEventListener('pointerleave', () => point(document.activeElement?.closest('#stage [data-key]') ?? null));
  stage.addEventListener('focusin', (event) => point(nodeOf(event)));
  stage.addEventListener('focusout', () => point(null));
  slider.addEventListener('input', () => go(Number(slider.value)));
  speed.addEventListener('change', () => {
    if (timer !== null) {
      stop();
      start();
    }
  });
  play.addEventListener('click', toggle);
  find('first').addEventListener('click', () => go(0));
  find('back').addEventListener('click', () => go(at - 1));
  find('forward').addEventListener('click', () => go(at + 1));
  find('last').addEventListener('click', () => go(last));
  size.addEventListener('change', () => {
    fitStage(size.value, true);
    showActive();
  });
  window.addEventListener('resize', () => fitStage(size.value, true));
  window.addEventListener('hashchange', () => go(fromAddress() ?? 0));
  document.querySelectorAll('[data-live]').forEach((part) => { part.hidden = false; });
  show(fromAddress() ?? 0);
})();
