// The picture of one step: the words that were read, the threads, the words that were written.
'use strict';

const LEFT = 96, TOP = 30, CELL = 34, LINE = 56, GAP = 96, RADIUS = 13;
/** The least size of the picture that is chosen when it is to fit. */
const LEAST = 0.6;

function styleOf(degree) {
  return degree <= 1 ? 'd1' : degree <= 2 ? 'd2' : degree <= 4 ? 'd4' : degree <= 8 ? 'd8' : 'd9';
}

/** What draws the steps of a run into an SVG element. */
function makeStage(run, stage) {
  /** The arrays over the threads and those under them. */
  function linesOf(step) {
    const reads = distinct(step.events.flatMap((event) => event[1].map((place) => place[0])));
    const writes = distinct(step.events.flatMap((event) => event[2].map((place) => place[0])));
    return { above: reads.length > 0 ? reads : writes, below: writes };
  }

  // Places that are the same in every step, so that nothing jumps.
  const tiles = run.tile === null ? 1 : Math.ceil(run.arrays[0].initial.length / run.tile);
  const columns = Math.max(1, tiles > 1 ? tiles * run.tile : 1, ...run.arrays.map((array) => array.initial.length));
  const above = Math.max(1, ...run.steps.map((step) => linesOf(step).above.length));
  const below = Math.max(1, ...run.steps.map((step) => linesOf(step).below.length));
  const threadsAt = TOP + above * LINE + GAP - 20;
  const belowAt = threadsAt + GAP;
  const width = LEFT + columns * run.column + 24;
  const height = belowAt + below * LINE + 4;

  function element(parent, name, attributes, text) {
    const made = document.createElementNS(stage.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  /** The middle of a word. What belongs to a tile stands under the tile's elements. */
  function middle(array, index) {
    const { initial, block } = run.arrays[array];
    let column = index + 0.5;
    if (tiles > 1 && block === null && initial.length === tiles) column *= run.tile;
    else if (tiles > 1 && block !== null && block < tiles) column += block * run.tile;
    return LEFT + column * run.column;
  }

  function withDegree(place) {
    return place[3] > 1 ? ` (${place[3]}-way conflict)` : '';
  }

  /** What a thread does, in words. */
  function threadText(event) {
    const [thread, reads, writes, operations, shuffles, kept] = event;
    const word = (place) => `${run.nameOf(place[0])}[${place[1]}] = ${run.shown(place[2])}${withDegree(place)}`;
    const parts = [];
    if (reads.length > 0) parts.push(`reads ${reads.map(word).join(', ')}`);
    if (shuffles.length > 0) parts.push(`reads the register of thread ${shuffles.join(', ')}`);
    if (operations > 0) parts.push(operations === 1 ? 'combines once' : `combines ${operations} times`);
    if (kept.length > 0) parts.push(`keeps ${kept.map(([name, value]) => `${name} = ${run.shown(value)}`).join(', ')}`);
    if (writes.length > 0) parts.push(`writes ${writes.map(word).join(', ')}`);
    return `Thread ${thread} of warp ${Math.floor(thread / run.warp)} ${parts.join('; ')}.`;
  }

  /** For each word that a step reads (side 1) or writes (side 2): who does. */
  function usersOf(step, side) {
    const users = new Map();
    for (const event of step.events) {
      for (const place of event[side]) {
        const key = `${place[0]}:${place[1]}`;
        if (!users.has(key)) users.set(key, []);
        users.get(key).push(`thread ${event[0]}${withDegree(place)}`);
      }
    }
    return users;
  }

  /** What happens to a word, in words. */
  function wordText(users, array, index, value, side) {
    const verb = side === 1 ? 'Read' : 'Written';
    const by = users.length > 0 ? `${verb} by ${users.join(', ')}.` : `Not ${verb.toLowerCase()} in this step.`;
    const holds = value === null ? 'holds nothing yet' : `holds ${run.shown(value)}`;
    return `${run.nameOf(array)}[${index}] ${holds} ${side === 1 ? 'before' : 'after'} the step. ${by}`;
  }

  /** Whether the model found the word raced for, and this is a step in which it is. */
  function isRacing(array, index) {
    return run.fault !== null && run.fault.array === run.arrays[array].name && run.fault.index === index;
  }

  /** The width of the picture's box, read when it changes: to read it makes the browser lay out the page. */
  let boxWidth = 0;

  /** Makes the picture as large as was chosen: `fit`, `all`, or a factor. */
  function fitStage(choice, hasChanged) {
    if (hasChanged) boxWidth = stage.parentElement.clientWidth;
    const whole = Math.min(1, boxWidth / width);
    const factor = choice === 'all' ? whole : choice === 'fit' ? Math.max(LEAST, whole) : Number(choice);
    stage.setAttribute('width', Math.round(width * factor));
    stage.setAttribute('height', Math.round(height * factor));
  }

  /** Brings what the step is about into view, if the picture is wider than its box. */
  function showActive() {
    const box = stage.parentElement;
    if (box.scrollWidth <= box.clientWidth) return;
    const nodes = [...stage.querySelectorAll('.racing, .active')];
    const node = nodes.find((node) => node.matches('.racing')) ?? nodes[0];
    if (node === undefined) return;
    const own = node.getBoundingClientRect(), all = box.getBoundingClientRect();
    if (own.left < all.left + 24 || own.right > all.right - 24) box.scrollLeft += own.left - all.left - all.width / 3;
  }

  /** What is said of words and threads that take no part in the step. */
  const labels = new Map();

  /** Draws what step `number`, counted from 1, does; 0 shows the memory before the first. `depends`: before the step and after
      it, the words and registers to be marked. */
  function drawStage(number, before, after, depends) {
    stage.replaceChildren();
    stage.classList.remove('pointing');
    stage.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const step = run.steps[number - 1] ?? { events: [], divergent: [], counts: [] };
    const arrows = element(stage, 'g', { class: 'arrows' });
    const touched = [null, usersOf(step, 1), usersOf(step, 2)];

    // Who takes part has a label; the others' is made when somebody points at them.
    labels.clear();
    const node = (key, text, takesPart) => {
      const group = element(stage, 'g', takesPart ? { 'data-key': key, role: 'img', 'aria-label': text(), tabindex: -1 } : { 'data-key': key });
      if (!takesPart) labels.set(key, text);
      return group;
    };
    const line = (array, y, words, side) => {
      element(stage, 'text', { class: 'name', x: LEFT - 12, y: y + 22 }, run.nameOf(array));
      words.forEach((value, index) => {
        const users = touched[side].get(`${array}:${index}`) ?? [];
        const used = users.length > 0;
        const group = node(`${side}:${array}:${index}`, () => wordText(users, array, index, value, side), used);
        const style = side === 2 && used ? 'frame cell new' : used ? 'frame old read' : 'frame old';
        if (used && isRacing(array, index)) group.classList.add('racing');
        if (depends[side - 1].words.has(`${array}:${index}`)) group.classList.add('depends');
        const at = middle(array, index), x = at - run.column / 2 + 2;
        element(group, 'rect', { class: style, x, y, width: run.column - 4, height: CELL, rx: 4 });
        const text = run.shown(value);
        element(group, 'text', { class: 'value', x: at, y: y + 22 }, text.length > 9 ? `${text.slice(0, 8)}…` : text);
        // Of many words every eighth has its number, and those that take part.
        if (columns <= 32 || used || index % 8 === 0) element(group, 'text', { class: 'index', x: at, y: side === 1 ? y - 5 : y + CELL + 13 }, index);
      });
    };

    const lines = linesOf(step);
    const aboveAt = new Map(lines.above.map((array, at) => [array, TOP + (above - lines.above.length + at) * LINE]));
    const belowLines = new Map(lines.below.map((array, at) => [array, belowAt + at * LINE]));
    if (number === 0) {
      const given = run.arrays.map((array, at) => at).filter((at) => run.arrays[at].since === 0 && run.arrays[at].initial.some((word) => word !== null));
      given.slice(0, above).forEach((array, at) => line(array, TOP + at * LINE, after[array], 1));
      return;
    }
    aboveAt.forEach((y, array) => line(array, y, before[array], 1));

    const threads = step.threads;
    // A block's threads stand under its tile.
    const ofTile = tiles > 1 && step.block < tiles && threads <= run.tile;
    const room = (ofTile ? run.tile : columns) * run.column, start = LEFT + (ofTile ? step.block * room : 0);
    const threadX = (thread) => start + ((thread + 0.5) * room) / threads;
    const radius = Math.max(1, Math.min(RADIUS, room / threads / 2 - 1));
    const arrow = (from, to, path, degree, marked) => {
      // Where lines have no dashes, the tip may be part of them.
      const dashed = degree > 1;
      const style = marked ? `arrow depends ${styleOf(degree)}` : `arrow ${styleOf(degree)}`;
      element(arrows, 'path', { class: style, d: dashed ? path[0] : path.join(''), 'data-from': from, 'data-to': to });
      if (dashed) element(arrows, 'path', { class: `${style} tip`, d: path[1], 'data-from': from, 'data-to': to });
    };
    const down = (x, y, toX, toY) => {
      const bend = (toY - y) / 2;
      return [`M${x} ${y}C${x} ${y + bend} ${toX} ${toY - bend} ${toX} ${toY}`, `M${toX - 4} ${toY - 6}L${toX} ${toY}L${toX + 4} ${toY - 6}`];
    };
    const events = new Map(step.events.map((event) => [event[0], event]));
    for (const [thread, reads, writes, , shuffles] of step.events) {
      const x = threadX(thread), key = `t:${thread}`;
      for (const [array, index, , degree] of reads) {
        if (index < run.arrays[array].initial.length) {
          arrow(`1:${array}:${index}`, key, down(middle(array, index), aboveAt.get(array) + CELL, x, threadsAt - radius), degree, depends[0].words.has(`${array}:${index}`));
        }
      }
      for (const [array, index, , degree] of writes) {
        arrow(key, `2:${array}:${index}`, down(x, threadsAt + radius, middle(array, index), belowLines.get(array) - 1), degree, depends[1].words.has(`${array}:${index}`));
      }
      for (const from of shuffles.filter((from) => from < threads)) {
        const begin = threadX(from), y = threadsAt + radius, depth = y + 18 + Math.min(40, Math.abs(x - begin) / 6);
        const path = `M${begin} ${y}C${begin} ${depth} ${x} ${depth} ${x} ${y}`;
        arrow(`t:${from}`, key, [path, `M${x - 5} ${y + 6}L${x} ${y}L${x + 4} ${y + 7}`], 0, false);
      }
    }
    for (const warp of step.divergent) {
      const last = Math.min(threads, (warp + 1) * run.warp) - 1;
      const x = threadX(warp * run.warp) - radius - 6, end = threadX(last) + radius + 6;
      element(stage, 'rect', { class: 'warp', x, y: threadsAt - radius - 7, width: end - x, height: 2 * radius + 14, rx: radius + 7 });
      element(stage, 'path', { class: 'fork', d: `M15 ${threadsAt + 33}v-6m0 0l-5 -6m5 6l5 -6` });
      element(stage, 'text', { class: 'forked', x: 25, y: threadsAt + 32 }, 'diverges');
    }
    element(stage, 'text', { class: 'name', x: LEFT - 12, y: threadsAt + 5 }, 'threads');
    for (let thread = 0; thread < threads; thread += 1) {
      const event = events.get(thread);
      const group = node(`t:${thread}`, () => (event ? threadText(event) : `Thread ${thread} has nothing to do.`), event !== undefined);
      if (event) group.classList.add('active');
      const touches = (side) => event[side].some((place) => depends[side - 1].words.has(`${place[0]}:${place[1]}`));
      if (event && (touches(1) || touches(2) || event[5].some(([name]) => depends[1].registers.has(`${name}:${thread}`)))) {
        group.classList.add('depends');
      }
      element(group, 'circle', { class: 'frame thread', cx: threadX(thread), cy: threadsAt, r: radius });
      if (radius > 9) element(group, 'text', { class: 'who', x: threadX(thread), y: threadsAt + 4 }, thread);
      const kept = event?.[5].at(-1);
      if (kept) {
        const text = `${kept[0]} ${run.shown(kept[1])}`;
        if (text.length * 6 < room / threads + 8) {
          element(group, 'text', { class: 'kept', x: threadX(thread), y: threadsAt + radius + 16 }, text);
        }
      }
      const degrees = [[1, -radius - 6], [2, radius + 15]];
      for (const [side, y] of degrees) {
        const degree = Math.max(0, ...(event ? event[side].map((place) => place[3]) : []));
        if (degree > 1) element(group, 'text', { class: 'degree', x: threadX(thread) + 7, y: threadsAt + y }, `×${degree}`);
      }
    }
    belowLines.forEach((y, array) => line(array, y, after[array], 2));
    if (lines.below.length === 0) {
      element(stage, 'text', { class: 'quiet', x: LEFT, y: belowAt + 22 }, 'Nothing is written: threads keep what they found in registers.');
    }
  }

  /** The words and threads of the picture that take part in the step. */
  const stops = () => [...stage.querySelectorAll('[data-key][tabindex]')];
  return { draw: drawStage, fit: fitStage, isFitted: () => boxWidth > 0, showActive, labels, stops };
}
