// Steps and playing, of one run or of two in step.
'use strict';

const player = (() => {
  const find = (id) => document.getElementById(id);
  const icons = { pause: 'M6 4V16M14 4V16' };
  let lanes = [], last = 0, at = 0, timer = null, address = null;

  /** Takes over the page's part that plays: at first, and whenever it was made anew. */
  function load() {
    stop();
    document.querySelectorAll('#played [data-live]').forEach((part) => { part.hidden = false; });
    icons.play ??= find('play').querySelector('path').getAttribute('d');
    find('step').addEventListener('input', () => go(Number(find('step').value)));
    find('speed').addEventListener('change', () => {
      if (timer === null) return;
      stop();
      start();
    });
    const buttons = { play: toggle, first: () => go(0), back: () => go(at - 1), forward: () => go(at + 1), last: () => go(last) };
    for (const [id, act] of Object.entries(buttons)) find(id).addEventListener('click', act);
    find('size').addEventListener('change', () => {
      fit();
      lanes.forEach((lane) => lane.showActive());
    });
    take(['', '-2'].map((suffix) => find(`run${suffix}`)).filter((script) => script !== null).map((script) => JSON.parse(script.textContent)));
  }

  /** Takes these runs, whatever was played before, and stays at the step. */
  function take(runs, marks = []) {
    lanes = runs.map((run, place) => makeLane(readRun(run), place === 0 ? '' : `-${place + 1}`, (text) => { find('what').textContent = text; }));
    lanes.forEach((lane, place) => lane.mark(marks[place] ?? null));
    last = Math.max(...lanes.map((lane) => lane.last));
    find('step').max = last;
    show(at);
  }

  /** Marks what depends on an element. */
  function mark(marks) {
    lanes.forEach((lane, place) => lane.mark(marks[place] ?? null));
    show(at);
  }

  /** What the address says behind its `#`: the step, and the settings that were changed. */
  const fragment = () => new URLSearchParams(location.hash.slice(1));

  /** The step in the address, so that a link leads to it; late, as browsers count how often that is done. */
  function keepAddress() {
    clearTimeout(address);
    address = setTimeout(() => keep({ step: at === 0 ? '' : `${at}` }), 300);
  }

  /** Keeps what is said in the address, and leaves out what is empty. */
  function keep(said) {
    const all = fragment();
    for (const [name, value] of Object.entries(said)) {
      if (value === '') all.delete(name); else all.set(name, value);
    }
    history.replaceState(null, '', `#${all}`);
  }

  const fromAddress = () => Number(/^\d+$/.exec(fragment().get('step') ?? '0')?.[0] ?? 0);

  /** What two runs have counted so far, beside each other: bars as long as the larger of the ends. */
  function showBars() {
    for (const row of find('so-far')?.tBodies[0].rows ?? []) {
      const { span, place } = row.dataset;
      const of = (lane, steps) => (span === undefined ? lane.sumOf(steps, Number(place), false) : lane.chainOf(steps, Number(span)));
      const most = Math.max(1, ...lanes.map((lane) => of(lane, lane.last)));
      lanes.forEach((lane, number) => {
        const sum = of(lane, at), cell = row.cells[number + 1];
        cell.firstChild.data = sum.toLocaleString('en');
        cell.lastChild.style.width = `${(100 * sum) / most}%`;
      });
    }
  }

  function show(number) {
    const moves = number === at + 1;
    at = Math.min(last, Math.max(0, number));
    lanes.forEach((lane) => lane.show(at, moves && at <= lane.last, find('size').value));
    showBars();
    keepAddress();
    find('step').value = at;
    find('step').setAttribute('aria-valuetext', `step ${at} of ${last}`);
    find('number').textContent = `${at} of ${last}`;
    find('first').disabled = find('back').disabled = at === 0;
    find('last').disabled = find('forward').disabled = at === last;
  }

  function name(icon, label) {
    find('play').querySelector('path').setAttribute('d', icon);
    find('play').setAttribute('aria-label', label);
    find('play').title = label;
  }

  function stop() {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    name(icons.play, 'Play (space)');
  }

  function start() {
    if (at === last) show(0);
    timer = setInterval(() => {
      show(at + 1);
      if (at === last) stop();
    }, 1400 / Number(find('speed').value));
    name(icons.pause, 'Pause (space)');
  }

  function toggle() {
    if (timer === null) start(); else stop();
  }

  function go(number) {
    stop();
    show(number);
  }

  const fit = () => lanes.forEach((lane) => lane.fit(find('size').value));
  const keys = { ' ': toggle, ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), Home: () => go(0), End: () => go(last) };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.target instanceof Element)) return;
    const act = keys[event.key];
    // Where a key has a meaning of its own, it keeps it.
    const own = event.key === ' ' ? 'button, select, a, summary, textarea, input:not([type="range"])' : 'select, input, textarea, .picture';
    if (act === undefined || event.target.closest(own)) return;
    event.preventDefault();
    act();
  });
  window.addEventListener('resize', fit);
  window.addEventListener('hashchange', () => go(fromAddress()));
  at = fromAddress();
  load();
  return { load, take, mark, fragment, keep };
})();
