// A list of the page comes in, a text goes out: its lines, each with its place, those of a packed text drawn by chunks.

/** Place -> first line, last line and columns of those in the cell; of others the name of their line. */
const places = JSON.parse(document.getElementById('places').textContent);

function inCell(place) {
  return Array.isArray(places[place]) ? places[place] : null;
}

/** Lines of a chunk: a browser lays out those near the window, and finds and prints what is in the others. */
const CHUNK = 50;

/** A text has the lines that stand in the page; `unpack` and `draw` bring the others. */
function textOf(list) {
  const text = { list, title: list.dataset.title, lines: [], undrawn: [] };
  const placesOfLines = list.dataset.places.split(' ');
  list.querySelectorAll('li').forEach((line, at) => {
    known(text, line, Number(placesOfLines[at] || -1), Number(line.dataset.f ?? 0), line.dataset.e);
  });
  [...list.children].forEach(measure);
  return text;
}

/** Take the packed lines of a text in, if it has some. */
async function unpack(text) {
  const packed = text.list.nextElementSibling;
  if (packed?.localName === 'script') {
    const { longest, lines, places, numbers, folds } = JSON.parse(await unpacked(packed));
    packed.remove();
    text.list.style.setProperty('--longest', longest);
    text.undrawn = lines.map((words, at) => [words, places[at], folds[at] ?? 0, numbers?.[at]]).reverse();
  }
}

/**
 * A line of a text knows its position, its place (or -1), how many lines below belong to it, and its number: the one
 * that the panel shows for an equation, the line of a file, else the position.
 */
function known(text, line, place, folds, number) {
  line.text = text;
  line.number = text.lines.push(line);
  line.place = place;
  line.folds = folds;
  line.shown = number === undefined ? line.number : Number(number);
  line.setAttribute('data-n', line.shown || '');
  line.tabIndex = line.number === 1 ? 0 : -1;
  if (place >= 0) {
    line.setAttribute('data-l', inCell(place)?.[0] ?? places[place]);
  }
}

/** Make the next chunk of a text; was there one? */
function draw(text) {
  const chunk = document.createElement('ol');
  while (text.undrawn.length > 0 && chunk.childElementCount < CHUNK) {
    const [words, place, folds, number] = text.undrawn.pop();
    const line = document.createElement('li');
    line.textContent = words || ' ';
    known(text, line, place, folds, number);
    chunk.append(line);
  }
  if (chunk.firstElementChild) {
    measure(chunk);
    text.list.append(chunk);
  }
  return chunk.isConnected;
}

/** A chunk says its height, for while it is not laid out, and which lines it holds. */
function measure(chunk) {
  chunk.style.setProperty('--shown', [...chunk.children].filter(line => !line.hidden).length);
  chunk.setAttribute('aria-label', `Lines ${chunk.firstElementChild.number} to ${chunk.lastElementChild.number}`);
}
