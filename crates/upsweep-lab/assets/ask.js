// The model that a page carries, and how it is asked.
'use strict';

/** A function from questions to answers; null, if the page or the browser has no model. */
async function openModel() {
  const packed = document.getElementById('model');
  if (packed === null || !('DecompressionStream' in window)) return null;
  const bytes = Uint8Array.from(atob(packed.textContent.trim()), (letter) => letter.charCodeAt(0));
  const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
  const compiled = await WebAssembly.compile(await unpacked.arrayBuffer());
  let model = (await WebAssembly.instantiate(compiled)).exports;
  return (question) => {
    try {
      const text = new TextEncoder().encode(JSON.stringify(question));
      const room = model.room(text.length);
      new Uint8Array(model.memory.buffer, room, text.length).set(text);
      const length = model.answer();
      return JSON.parse(new TextDecoder().decode(new Uint8Array(model.memory.buffer, model.said(), length)));
    } catch (error) {
      // What is left of it cannot be trusted.
      model = new WebAssembly.Instance(compiled).exports;
      return { error: `the model stopped: ${error.message}` };
    }
  };
}
