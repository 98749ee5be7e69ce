// The banks of a step: each access of a warp as a table of banks and turns.
'use strict';

/** What shows the banks of a run's steps: which access is chosen by `choice`, and the tables are in `box`. */
function makeBanks(run, { area, choice, box }) {
  /** The accesses to shared memory of a step: the words that a warp, or half of one, reads or writes at once. */
  function accessesOf(step) {
    const found = new Map();
    for (const [thread, reads, writes] of step.events) {
      for (const [verb, places] of [['read', reads], ['write', writes]]) {
        for (const [array, index, , degree, together] of places) {
          if (degree === 0) continue;
          const access = found.get(together) ?? { verb, array, degree, items: [] };
          const word = run.arrays[array].offset + index;
          access.items.push({ thread, array, index, word, bank: word % run.banks });
          found.set(together, access);
        }
      }
    }
    return [...found].sort((a, b) => a[0] - b[0]).map(([, access]) => access);
  }

  /** The turns of an access: for each bank its words one after the other, each with the threads that are at it. */
  function turnsOf(access) {
    const banks = Array.from({ length: run.banks }, () => []);
    for (const item of access.items) {
      const words = banks[item.bank];
      const same = words.find((word) => word.word === item.word);
      if (same) same.threads.push(item.thread);
      else words.push({ ...item, threads: [item.thread] });
    }
    return banks;
  }

  /** `0 to 15`, or `0, 2, 4`. */
  function listed(numbers) {
    const last = numbers[numbers.length - 1];
    if (numbers.length > 2 && last - numbers[0] === numbers.length - 1) return `${numbers[0]} to ${last}`;
    return numbers.length > 8 ? `${numbers.slice(0, 7).join(', ')}, ..., ${last}` : numbers.join(', ');
  }

  function titleOf(access) {
    const threads = access.items.map((item) => item.thread);
    const verb = access.verb === 'read' ? 'reads' : 'writes';
    const cost = access.degree > 1 ? `${access.degree} turns` : 'one turn';
    return `${threads.length === 1 ? 'thread' : 'threads'} ${listed(threads)}: ${verb} ${run.nameOf(access.array)}, ${cost}`;
  }

  function drawAccess(access) {
    const banks = turnsOf(access);
    const head = make('tr', {}, make('th', { scope: 'col' }, 'bank'), ...banks.map((_, bank) => make('th', { scope: 'col' }, `${bank}`)));
    const rows = Array.from({ length: access.degree }, (_, turn) => make('tr', {}, make('th', { scope: 'row' }, `turn ${turn + 1}`),
      ...banks.map((words) => {
        const word = words[turn];
        if (word === undefined) return make('td', {});
        const style = words.length > 1 ? `word ${styleOf(words.length)}` : 'word';
        const threads = make('small', {}, word.threads.map((thread) => `t${thread}`).join(' '));
        return make('td', { class: style, title: `${run.nameOf(word.array)}[${word.index}], thread ${word.threads.join(', ')}` }, `${word.index}`, threads);
      })));
    const address = (title, of) => make('tr', {}, make('th', { scope: 'row' }, title), ...access.items.map((item) => make('td', {}, `${of(item)}`)));
    const shift = run.arrays[access.array].offset;
    const table = make('table', { class: 'addresses' }, make('tbody', {}, address('thread', (item) => item.thread),
      address('index', (item) => item.index), ...(shift > 0 ? [address('word', (item) => item.word)] : []), address('bank', (item) => item.bank)));
    box.replaceChildren(
      make('div', { class: 'box', tabindex: '0', role: 'region', 'aria-label': 'Banks and turns' },
        make('table', { class: 'grid' }, make('thead', {}, head), make('tbody', {}, ...rows))),
      make('div', { class: 'box', tabindex: '0', role: 'region', 'aria-label': 'Which thread is at which bank' }, table));
  }

  /** Shows the banks of a step; the worst access first. */
  return (step) => {
    const accesses = step === undefined ? [] : accessesOf(step);
    area.hidden = accesses.length === 0;
    if (accesses.length === 0) return;
    const worst = accesses.reduce((worst, access, place) => (access.degree > accesses[worst].degree ? place : worst), 0);
    choice.replaceChildren(...accesses.map((access, place) => make('option', { value: place }, titleOf(access))));
    choice.value = worst;
    choice.onchange = () => drawAccess(accesses[Number(choice.value)]);
    drawAccess(accesses[worst]);
  };
}
