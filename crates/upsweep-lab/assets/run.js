// A recorded run, and what follows from it: what memory and registers hold after a step, and what of it depends on an element.
'use strict';

function distinct(numbers) {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A run as the model recorded it, with questions to ask it. */
function readRun(run) {
  /** A value as it is shown: an identity that is long to write is called id. */
  const shown = (value) => (value === null ? '' : value.length > 8 && value === run.identity ? 'id' : value);

  /** What the arrays hold after the first `steps` steps. */
  function memoryAfter(steps) {
    const memory = run.arrays.map((array) => array.initial.slice());
    for (const step of run.steps.slice(0, steps)) {
      for (const [, , writes] of step.events) {
        for (const [array, index, value] of writes) memory[array][index] = value;
      }
    }
    return memory;
  }

  /** The steps, up to the first `steps`, of the block that took the last of them and the kernel that it is of. */
  function sameKernel(steps) {
    const last = run.steps[steps - 1];
    if (last === undefined) return [];
    let first = steps - 1;
    while (first > 0 && run.steps[first - 1].kernel === last.kernel) first -= 1;
    const own = run.steps.map((step, place) => [step, place]).slice(first, steps);
    return own.filter(([step]) => step.block === last.block);
  }

  /** The registers after the first `steps` steps of the block that took the last of them, as `Run::registers_after` has them. */
  function registersAfter(steps) {
    const registers = new Map();
    for (const [step] of sameKernel(steps)) {
      for (const [thread, , , , , kept] of step.events) {
        for (const [name, value] of kept) {
          if (!registers.has(name)) registers.set(name, new Array(step.threads).fill(null));
          registers.get(name)[thread] = value;
        }
      }
    }
    return registers;
  }

  /** The words, as `array:index`, and registers, as `name:thread`, that depend on an element after the first `steps` steps. */
  function dependsAfter(steps, marks) {
    const words = new Set(), registers = new Set();
    if (!marks) return { words, registers };
    const mark = (set, key, on) => (on ? set.add(key) : set.delete(key));
    marks.initial.forEach((array, place) => array.forEach((index) => words.add(`${place}:${index}`)));
    run.steps.slice(0, steps).forEach((step, place) => step.events.forEach((event, at) => {
      event[2].forEach(([array, index], write) => mark(words, `${array}:${index}`, marks.steps[place][at][0][write] === 1));
    }));
    for (const [step, place] of sameKernel(steps)) {
      step.events.forEach((event, at) => event[5].forEach(([name], kept) => {
        mark(registers, `${name}:${event[0]}`, marks.steps[place][at][1][kept] === 1);
      }));
    }
    return { words, registers };
  }

  function nameOf(array) {
    const { name, block } = run.arrays[array];
    return block ? `${name}@${block}` : name;
  }

  return { ...run, shown, memoryAfter, registersAfter, dependsAfter, nameOf };
}
