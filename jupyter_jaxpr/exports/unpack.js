// Unpacks the compressed texts of the page, and first unpacks and runs the page's own script.
'use strict';

/** Base64 of zlib in, text out. */
function unpacked(packed) {
  const characters = atob(packed.textContent);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = characters.charCodeAt(at);
  }
  return new Response(new Response(bytes).body.pipeThrough(new DecompressionStream('deflate'))).text();
}

/** At the second frame the first is on the screen. */
function painted() {
  return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
}

/** Lines that stand in the page are painted before more is made of them. */
async function start() {
  await painted();
  const script = document.createElement('script');
  script.textContent = await unpacked(document.getElementById('script'));
  document.head.append(script);
}
void start();
