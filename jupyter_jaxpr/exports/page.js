// Adds linking, folding and search to the texts of each program in the page. Without this script, the page still shows
// the texts.

/** Place -> text of the calls that led to the place, for places below several calls. */
const calls = JSON.parse(document.getElementById('calls').textContent);

/** The milliseconds of each animation frame in which `drawn` draws further lines. */
const MILLISECONDS = 40;

/** Prepare a program when it is first opened: draw its remaining lines, then link all lines. */
function opened(details) {
  return (details.made ??= made(details));
}

async function made(details) {
  const program = details.querySelector('.jjx-bench');
  program.setAttribute('aria-busy', 'true');
  const texts = [...program.querySelectorAll('[data-title]')].map(textOf);
  await Promise.all(texts.map(unpack));
  while (drawn(texts)) {
    await painted();
  }
  program.querySelector('.jjx-tools > div').hidden = false;
  make(program, texts);
  program.setAttribute('aria-busy', 'false');
}

/** Draw chunks for MILLISECONDS, at least one of each text; return whether lines remain. */
function drawn(texts) {
  const end = performance.now() + MILLISECONDS;
  let isMore = true;
  do {
    isMore = texts.filter(draw).length > 0;
  } while (isMore && performance.now() < end);
  return isMore;
}

function make(program, texts) {
  const lines = texts.flatMap(text => text.lines);
  const source = texts.find(text => text.list.dataset.level === 'source');
  /** Place -> the lines of all texts with this place. */
  const byPlace = Map.groupBy(lines, line => line.place);
  byPlace.delete(-1);
  /** Line number in the file or the cell -> line of the source text. */
  const sourceLines = new Map(source?.lines.map(line => [line.shown, line]));
  let marked = new Map();
  const [status, stack] = program.querySelectorAll('[role="status"]');
  let pinned = null;

  /** Return the places of a line: its own place; for a line of the source text, all places that begin on this line. */
  function placesOf(line) {
    return line.text === source ? placesAt(line.shown) : [line.place].filter(place => place >= 0);
  }

  function placesAt(number) {
    return [...byPlace.keys()].filter(place => inCell(place)?.[0] === number);
  }

  /** Return a map: linked line -> 'linked' (same expression) or 'near' (another expression of the same source line). */
  function linkedTo(line) {
    const found = new Map([[line, 'linked']]);
    const own = placesOf(line);
    for (const one of own.flatMap(place => [...byPlace.get(place), sourceLines.get(inCell(place)?.[0]) ?? line])) {
      found.set(one, 'linked');
    }
    const reached = new Set([...found.keys()].map(one => one.text));
    for (const one of reached.size < texts.length ? own.flatMap(sameLine) : []) {
      if (!reached.has(one.text)) {
        found.set(one, 'near');
      }
    }
    return found;
  }

  /** Return the lines of all expressions that begin on the same source line as this place. */
  function sameLine(place) {
    const at = inCell(place);
    return at ? placesAt(at[0]).flatMap(other => byPlace.get(other)) : [];
  }

  function mark(line) {
    for (const one of marked.keys()) {
      one.classList.remove('linked', 'near');
      if (one.dataset.whole !== undefined) {
        one.textContent = one.dataset.whole;
        delete one.dataset.whole;
      }
    }
    marked = line === null ? new Map() : linkedTo(line);
    for (const [one, how] of marked) {
      one.classList.add(how);
    }
    const own = line === null ? [] : placesOf(line);
    const spans = own.map(inCell).filter(Boolean);
    if (spans.length === 1) {
      underline(spans[0]);
    }
    status.textContent = texts.map(counted).filter(Boolean).join(' · ');
    stack.textContent = calls[own[0]] ?? '';
    return marked;
  }

  /** Return the number of marked lines of a text, such as `jaxpr 2` or `StableHLO 3 by source line`. */
  function counted(text) {
    const own = [...marked].filter(([one]) => one.text === text);
    if (own.length === 0) {
      return '';
    }
    const how = own.every(([, kind]) => kind === 'near') ? ' by source line' : '';
    return `${text.title} ${own.length}${how}`;
  }

  /** Mark an expression that is on one line of the source. */
  function underline([first, last, from, to]) {
    const line = sourceLines.get(first);
    if (!line || first !== last || from < 0 || to <= from) {
      return;
    }
    const text = line.textContent;
    const expression = document.createElement('mark');
    expression.textContent = text.slice(from, to);
    line.dataset.whole = text;
    line.replaceChildren(text.slice(0, from), expression, text.slice(to));
  }

  function reveal(linked, except) {
    for (const text of texts) {
      const first = [...linked.keys()].find(line => line.text === text);
      if (first && text !== except) {
        unfold(first);
        const below = first.getBoundingClientRect().top - text.list.getBoundingClientRect().top;
        text.list.scrollTop += below - text.list.clientHeight / 3;
      }
    }
  }

  function pin(line) {
    pinned?.removeAttribute('aria-current');
    pinned = pinned === line ? null : line;
    pinned?.setAttribute('aria-current', 'true');
    reveal(mark(pinned), line.text);
    // The address of the page then names the line, so the reader can copy a link to the line.
    const anchor = pinned?.shown ? `${program.parentElement.id}:${line.text.list.dataset.level}:${line.shown}` : '';
    history.replaceState(null, '', `#${anchor}`);
  }

  /** Show and select the line that an address names; do nothing if the page has no such line. */
  program.goTo = (level, number) => {
    const line = texts.find(text => text.list.dataset.level === level)?.lines.find(one => one.shown === number);
    if (line) {
      show(line);
      if (pinned !== line) {
        pin(line);
      }
      focusLine(line);
      line.scrollIntoView({ block: 'center' });
    }
  };

  const lineOf = target => target.closest('.jjx-bench li');
  program.addEventListener('mouseover', event => mark(lineOf(event.target) ?? pinned));
  program.addEventListener('mouseleave', () => mark(pinned));
  program.addEventListener('click', event => {
    const line = lineOf(event.target);
    if (line && event.target.tagName !== 'BUTTON') {
      focusLine(line);
      pin(line);
    }
  });

  // --- keyboard: the Tab key stops once in each text, the arrow keys move between its lines ---

  function focusLine(line) {
    line.text.stop.tabIndex = -1;
    line.text.stop = line;
    line.tabIndex = 0;
    line.focus({ preventScroll: true });
    line.scrollIntoView({ block: 'nearest' });
  }
  for (const text of texts) {
    text.stop = text.lines[0];
    text.list.addEventListener('keydown', event => {
      const line = lineOf(event.target);
      if (!line || event.target !== line || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      const shown = text.lines.filter(one => !one.hidden);
      const at = shown.indexOf(line);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
      if (to !== undefined && shown[to]) {
        event.preventDefault();
        focusLine(shown[to]);
        mark(shown[to]);
      } else if (event.key === 'Enter') {
        event.preventDefault();
        pin(line);
      } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
        const own = folds.filter(fold => fold.line === line);
        if (own.filter(fold => fold.show(event.key === 'ArrowRight')).length > 0) {
          event.preventDefault();
        }
      }
    });
  }

  // --- folding ---

  const folds = [
    ...lines.filter(line => line.folds > 0).map(foldedLines),
    ...lines.filter(line => line.words).map(foldedWords)
  ];

  function unfold(line) {
    for (const fold of line.hidden ? folds : []) {
      if (fold.inside.includes(line)) {
        fold.show(true);
      }
    }
  }

  /** Unfold a line, and show its column if the reader has hidden the column. */
  function show(line) {
    unfold(line);
    program.querySelector(`input[data-level="${line.text.list.dataset.level}"]`).checked = true;
  }

  for (const isOpen of [false, true]) {
    program.querySelector(`[data-open="${isOpen}"]`).addEventListener('click', () => {
      folds.forEach(fold => fold.show(isOpen));
    });
  }

  // --- search ---

  const query = program.querySelector('input');
  const found = program.querySelector('output');
  let matches = [];
  let at = -1;
  query.addEventListener('input', search);
  function search() {
    const wanted = query.value.trim().toLowerCase();
    for (const line of matches) {
      line.classList.remove('match', 'here');
    }
    matches = wanted ? lines.filter(line => line.textContent.toLowerCase().includes(wanted)) : [];
    for (const line of matches) {
      line.classList.add('match');
    }
    at = -1;
    const counts = texts.map(text => `${text.title} ${matches.filter(line => line.text === text).length}`);
    found.textContent = wanted ? counts.join(' · ') : '';
    if (matches.length > 0) {
      step(1);
    }
  }
  query.addEventListener('keydown', event => {
    if (event.key === 'Enter' && matches.length > 0) {
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    }
  });
  function step(by) {
    matches[at]?.classList.remove('here');
    at = (at + by + matches.length) % matches.length;
    const line = matches[at];
    show(line);
    folds.find(fold => fold.line === line && fold.inside.length === 0)?.show(true);
    line.classList.add('here');
    line.scrollIntoView({ block: 'nearest' });
  }
  texts.filter(text => text !== source).forEach(colour);

  // The reader may have typed a search while the lines were drawn.
  if (query.value) {
    search();
  }
}

/** The most lines of a text whose types are coloured, because a browser paints the ranges of all lines. */
const COLOURED = 20000;
const TYPES = /\b(?:bf16|bool|pred|[fiusc]\d+\w*|key<\w+>)\[[^\]]*\]|\btensor<[^>]*>/g;
const types = globalThis.Highlight && new Highlight();

/** Colour the types in a text, such as `f32[8]`, if the browser supports highlights. */
function colour(text) {
  for (const words of types ? text.lines.slice(0, COLOURED).flatMap(wordsOf) : []) {
    for (const { 0: type, index } of words.data.matchAll(TYPES)) {
      const endOffset = index + type.length;
      types.add(new StaticRange({ startContainer: words, startOffset: index, endContainer: words, endOffset }));
    }
  }
}

/** Return the text nodes of a line: one, or three if the line has folded parameters. */
function wordsOf(line) {
  return [...line.childNodes]
    .map(node => (node.localName === 'span' ? node.firstChild : node))
    .filter(node => node instanceof Text);
}

/** Make a fold, open at first. Its function `show` opens or folds, and returns whether this changed the fold. */
function foldOf(line, inside, what, change) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'fold', tabIndex: -1 });
  const say = isOpen =>
    Object.assign(button, { ariaExpanded: isOpen, ariaLabel: `${isOpen ? 'Fold' : 'Unfold'} ${what}` });
  const show = isOpen => {
    const isNew = button.ariaExpanded !== String(isOpen);
    if (isNew) {
      say(isOpen);
      change(isOpen);
    }
    return isNew;
  };
  say(true);
  button.addEventListener('click', () => show(button.ariaExpanded === 'false'));
  return { line, inside, button, show };
}

function foldedLines(line) {
  const inside = line.text.lines.slice(line.number, line.number + line.folds);
  const fold = foldOf(line, inside, `${line.folds} lines`, isOpen => {
    for (const one of inside) {
      one.folded = (one.folded ?? 0) + (isOpen ? -1 : 1);
      one.hidden = one.folded > 0;
    }
    new Set(inside.map(one => one.parentElement)).forEach(measure);
  });
  line.prepend(fold.button);
  return fold;
}

/** The folds inside of lines, each with the element that it hides. */
const wordFolds = [];

/** Fold the words of a line that the exporter chose (`folded_jaxpr_parameters.py`); return the fold. */
function foldedWords(line) {
  const [begin, end, label, name, opened] = line.words;
  const words = line.lastChild.data;
  const middle = document.createElement('span');
  middle.textContent = words.slice(begin, end);
  const fold = foldOf(line, [], name, isOpen => {
    middle.hidden = !isOpen;
    fold.button.dataset.label = isOpen ? opened : label;
  });
  fold.button.className = 'more';
  line.lastChild.replaceWith(words.slice(0, begin), fold.button, middle, words.slice(end));
  wordFolds.push({ fold, middle });
  fold.show(false);
  return fold;
}

// Copied lines must contain the hidden parameters, so these are unfolded while the browser copies.
document.addEventListener('copy', () => {
  for (const { fold, middle } of wordFolds) {
    if (middle.hidden && getSelection().containsNode(middle, true)) {
      fold.show(true);
      setTimeout(() => fold.show(false));
    }
  }
});

/** Show the line that the page's address names, such as `#program-0:jaxpr:7`. */
async function goToAddress() {
  const [, id, level, number] = /^#(program-\d+):([a-z]+):(\d+)$/.exec(location.hash) ?? [];
  const details = id && document.getElementById(id);
  if (details) {
    details.open = true;
    await opened(details);
    details.querySelector('.jjx-bench').goTo(level, Number(number));
  }
}

document.head.append(Object.assign(document.createElement('style'), { textContent: STYLE }));
for (const details of document.querySelectorAll('details.jjx-program')) {
  details.addEventListener('toggle', () => void opened(details), { once: true });
  if (details.open) {
    void opened(details);
  }
}
if (types) {
  CSS.highlights.set('jjx-type', types);
}
addEventListener('hashchange', () => void goToAddress());
void goToAddress();
