// What tiles tell each other, and what threads keep in registers.
'use strict';

/** A flag as it is shown: the words that the pseudocode has. */
const FLAGS = { status: ['.', 'A', 'P'] };

/** The registers after the first `steps` steps of the block that took the last of them, as `Run::registers_after` has them. */
function registersAfter(steps) {
  const registers = new Map();
  const last = run.steps[steps - 1];
  if (last === undefined) return registers;
  let first = steps - 1;
  while (first > 0 && run.steps[first - 1].kernel === last.kernel) first -= 1;
  for (const step of run.steps.slice(first, steps).filter((step) => step.block === last.block)) {
    for (const [thread, , , , , kept] of step.events) {
      for (const [name, value] of kept) {
        if (!registers.has(name)) registers.set(name, new Array(step.threads).fill(null));
        registers.get(name)[thread] = value;
      }
    }
  }
  return registers;
}

/** Shows the arrays through which tiles talk: a column for each tile. */
function showTiles(memory, number) {
  const area = document.getElementById('tiles');
  const status = run.arrays.map((_, place) => place).filter((place) => run.arrays[place].status);
  area.hidden = status.length === 0;
  if (status.length === 0) return;
  const step = run.steps[number - 1];
  const touched = (side) => new Set(step ? step.events.flatMap((event) => event[side].map((place) => `${place[0]}:${place[1]}`)) : []);
  const read = touched(1), written = touched(2);
  const tiles = Math.max(...status.map((place) => memory[place].length));
  const head = make('tr', {}, make('th', { scope: 'col' }, 'tile'), ...Array.from({ length: tiles }, (_, tile) => {
    const active = step !== undefined && step.block === tile;
    return make('th', { scope: 'col', class: active ? 'at' : '' }, `${tile}`, make('small', {}, active ? step.label : ''));
  }));
  const rows = status.map((place) => {
    const { name } = run.arrays[place];
    const cells = memory[place].map((value, tile) => {
      const key = `${place}:${tile}`;
      const text = value === null ? '' : FLAGS[name] ? FLAGS[name][Number(value)] : shown(value);
      return make('td', { class: written.has(key) ? 'new' : read.has(key) ? 'read' : '' }, text);
    });
    return make('tr', {}, make('th', { scope: 'row' }, name), ...cells);
  });
  document.getElementById('tile-table').replaceChildren(make('thead', {}, head), make('tbody', {}, ...rows));
}
