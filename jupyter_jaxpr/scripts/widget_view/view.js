/**
 * What a snapshot shows comes in as plain data (`shown`, made by __init__.py), elements go out. Its texts are the
 * user's and are set as text, never as markup.
 */

/** An element with a class of ours, attributes, and children that are elements or text. */
function element(name, className, attributes = {}, children = []) {
  const made = document.createElement(name);
  if (className) {
    made.className = `jjx-${className}`;
  }
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function stages(program) {
  const known = program.stages.filter(stage => stage.seconds > 0);
  if (known.length === 0) {
    return [];
  }
  const spoken = known.map(stage => `${stage.name} ${stage.time}`).join(', ');
  const bar = element('div', 'bar', { role: 'img', 'aria-label': spoken });
  const legend = element('ul', 'legend');
  for (const stage of known) {
    const part = element('span', `part jjx-${stage.kind}`);
    part.style.flexGrow = String(stage.seconds);
    bar.append(part);
    const key = element('span', `key jjx-${stage.kind}`, { 'aria-hidden': 'true' });
    legend.append(element('li', '', {}, [key, `${stage.name} `, element('b', '', {}, [stage.time])]));
  }
  return [bar, legend];
}

/** The levels' names as buttons, and the chosen one's text. */
function levels(program) {
  const tools = element('div', 'levels', { role: 'group', 'aria-label': 'Level' });
  const text = element('pre', 'text', { tabindex: '0' });
  const note = element('p', 'note', { role: 'status' });
  const buttons = program.levels.map((level, index) => {
    const button = element('button', 'level', { type: 'button' }, [level.title]);
    button.addEventListener('click', () => choose(index));
    tools.append(button);
    return button;
  });
  function choose(index) {
    const level = program.levels[index];
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === index)));
    text.textContent = level.text ?? '';
    text.hidden = level.text === null;
    text.setAttribute('aria-label', level.title);
    note.textContent = level.note ?? '';
    note.hidden = level.note === null;
  }
  choose(0);
  return [tools, text, note];
}

function programParts(program) {
  const signature = element('div', 'signature', { title: program.full_signature }, [program.signature]);
  const parts = [signature, element('div', 'second', {}, [program.counts])];
  if (program.origin) {
    parts.push(element('div', 'second', {}, [program.origin]));
  }
  return [...parts, ...stages(program), ...levels(program)];
}

function notes(shown) {
  if (shown.notes.length === 0) {
    return [];
  }
  const list = element('ul', 'notes', { 'aria-label': 'Notes' });
  for (const note of shown.notes) {
    const words = [note.where === null ? '' : `${note.where}: `, note.text, note.cure === null ? '' : ` ${note.cure}`];
    const item = element('li', '', {}, [words.join('')]);
    if (note.detail) {
      const summary = element('summary', '', {}, ['Detail']);
      item.append(element('details', '', {}, [summary, element('pre', 'text', { tabindex: '0' }, [note.detail])]));
    }
    list.append(item);
  }
  return [list];
}

/** What the jit cache did: a row for each function, a line for each miss. */
function cache(shown) {
  if (!shown.cache) {
    return [];
  }
  const { sentence, head, rows, misses, left_out, note } = shown.cache;
  const row = (name, cells, attributes) =>
    element('tr', '', {}, cells.map(cell => element(name, '', attributes, [cell])));
  const table = element('table', 'cache', {}, [
    element('caption', '', {}, ['Jitted functions of this run']),
    element('thead', '', {}, [row('th', head, { scope: 'col' })]),
    element('tbody', '', {}, rows.map(cells => row('td', cells, {})))
  ]);
  const told = [left_out, note].filter(text => text).map(text => element('p', 'note', {}, [text]));
  const list = element('ul', 'notes', { 'aria-label': 'Misses' }, misses.map(text => element('li', '', {}, [text])));
  const scrolls = element('div', 'scrolls', { tabindex: '0', role: 'group', 'aria-label': 'Cache' }, [table]);
  return [element('p', 'message', {}, [sentence]), scrolls, ...(misses.length > 0 ? [list] : []), ...told];
}

function render({ model, el }) {
  const root = element('div', 'widget');
  const body = element('div', 'program');
  function draw() {
    const shown = model.get('shown');
    root.replaceChildren();
    if (shown.title) {
      root.append(element('div', 'title', {}, [shown.title]));
    }
    if (shown.message) {
      root.append(element('p', 'message', {}, [shown.message]));
    }
    if (shown.programs.length > 1) {
      const choice = element('select', 'choice', { 'aria-label': 'Program' });
      shown.programs.forEach((program, index) => {
        choice.append(element('option', '', { value: String(index) }, [program.signature]));
      });
      choice.value = String(Math.max(0, shown.focus));
      choice.addEventListener('change', () => {
        body.replaceChildren(...programParts(shown.programs[Number(choice.value)]));
      });
      root.append(choice);
    }
    if (shown.programs.length > 0) {
      body.replaceChildren(...programParts(shown.programs[Math.max(0, shown.focus)]));
      root.append(body);
    }
    root.append(...cache(shown), ...notes(shown), element('div', 'second', {}, [shown.made_with]));
  }
  draw();
  model.on('change:shown', draw);
  el.append(root);
  return () => model.off('change:shown', draw);
}

export default { render };
