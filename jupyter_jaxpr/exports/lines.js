// Makes a text object of each list of lines in the page: its lines, each with its source place. Draws the compressed
// lines of long texts in chunks.

/** Place -> [first line, last line, first column, last column] in the cell; for other places the text of their line. */
const places = JSON.parse(document.getElementById('places').textContent);

function inCell(place) {
  return Array.isArray(places[place]) ? places[place] : null;
}

/** The lines in a chunk. A browser lays out only chunks near the window, but searches and prints all of them. */
const CHUNK = 50;

/** Make a text object with the lines that are already in the page; `unpack` and `draw` add the compressed lines. */
function textOf(list) {
  const text = { list, title: list.dataset.title, lines: [], undrawn: [] };
  const placesOfLines = list.dataset.places.split(' ');
  list.querySelectorAll('li').forEach((line, at) => {
    const { f: folds = 0, e: number, w: words = 'null' } = line.dataset;
    known(text, line, Number(placesOfLines[at] || -1), Number(folds), number, JSON.parse(words));
  });
  [...list.children].forEach(measure);
  return text;
}

/** Unpack the compressed lines of a text, if it has any. */
async function unpack(text) {
  const packed = text.list.nextElementSibling;
  if (packed?.localName === 'script') {
    const { longest, lines, places, numbers, folds, words } = JSON.parse(await unpacked(packed));
    packed.remove();
    text.list.style.setProperty('--longest', longest);
    const undrawn = (line, at) => [line, places[at], folds[at] ?? 0, numbers?.[at], words[at]];
    text.undrawn = lines.map(undrawn).reverse();
  }
}

/**
 * Add a line to a text. Stores in the line: its position, its place (or -1), how many lines its fold hides, the shown
 * number (of an equation as in the panel, of a line in its file, else the position), and its folded words, if any.
 */
function known(text, line, place, folds, number, words) {
  line.text = text;
  line.number = text.lines.push(line);
  line.place = place;
  line.folds = folds;
  line.words = words;
  line.shown = number === undefined ? line.number : Number(number);
  line.setAttribute('data-n', line.shown || '');
  line.tabIndex = line.number === 1 ? 0 : -1;
  if (place >= 0) {
    line.setAttribute('data-l', inCell(place)?.[0] ?? places[place]);
  }
}

/** Draw the next chunk of a text; return whether there was one. */
function draw(text) {
  const chunk = document.createElement('ol');
  while (text.undrawn.length > 0 && chunk.childElementCount < CHUNK) {
    const [content, ...facts] = text.undrawn.pop();
    const line = document.createElement('li');
    line.textContent = content || ' ';
    known(text, line, ...facts);
    chunk.append(line);
  }
  if (chunk.firstElementChild) {
    measure(chunk);
    text.list.append(chunk);
  }
  return chunk.isConnected;
}

/** Store the number of visible lines, for the height of a chunk before its layout, and name the lines of the chunk. */
function measure(chunk) {
  chunk.style.setProperty('--shown', [...chunk.children].filter(line => !line.hidden).length);
  chunk.setAttribute('aria-label', `Lines ${chunk.firstElementChild.number} to ${chunk.lastElementChild.number}`);
}
