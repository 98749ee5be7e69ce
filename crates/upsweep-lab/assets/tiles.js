// What tiles tell each other.
'use strict';

/** A flag as it is shown: the words that the pseudocode has. */
const FLAGS = { status: ['.', 'A', 'P'] };

/** What shows in a table what the tiles of a run know of each other. */
function makeTiles(run, { area, table }) {
  /** Shows the arrays through which tiles talk: a column for each tile. */
  return (memory, number) => {
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
        const text = value === null ? '' : FLAGS[name] ? FLAGS[name][Number(value)] : run.shown(value);
        return make('td', { class: written.has(key) ? 'new' : read.has(key) ? 'read' : '' }, text);
      });
      return make('tr', {}, make('th', { scope: 'row' }, name), ...cells);
    });
    table.replaceChildren(make('thead', {}, head), make('tbody', {}, ...rows));
  };
}
