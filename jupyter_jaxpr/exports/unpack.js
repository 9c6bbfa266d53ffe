// Unpacks the compressed texts of the page, and first unpacks and runs the page's own script.
'use strict';

/** Return the text of an element that contains zlib data in base64. */
function unpacked(packed) {
  const characters = atob(packed.textContent);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = characters.charCodeAt(at);
  }
  return new Response(new Response(bytes).body.pipeThrough(new DecompressionStream('deflate'))).text();
}

/** Wait until the browser has painted: when a second frame begins, the first one is on the screen. */
function painted() {
  return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
}

/** Run the page's script after the browser has painted the lines that are already in the page. */
async function start() {
  await painted();
  const script = document.createElement('script');
  script.textContent = await unpacked(document.getElementById('script'));
  document.head.append(script);
}
void start();
