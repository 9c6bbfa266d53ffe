/**
 * Loads the script with the widget's views from the kernel, once in each page, and lets it draw the widget.
 *
 * A host saves this loader with the notebook, so it is short; views.js itself is never saved in a notebook.
 */
const LOADED = (globalThis[Symbol.for('jupyter-jaxpr.views')] ??= new Map());
const SAY_AFTER = 4000; // milliseconds
const LONGEST = 2000; // characters of the lines about the program

/** Return the module in the kernel's answer: a script, gzipped, in base64. */
async function scriptOf(content) {
  const bytes = Uint8Array.from(atob(content.gzip), letter => letter.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  try {
    return await import(/* webpackIgnore: true */ address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Return the views of this version; all widgets of the page use the first answer of a kernel. */
function viewsFor(model) {
  const version = model.get('_views');
  let entry = LOADED.get(version);
  if (entry === undefined) {
    entry = {};
    entry.views = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    LOADED.set(version, entry);
  }
  const listen = content => {
    if (content?.type === 'views' && content.version === version) {
      model.off('msg:custom', listen);
      scriptOf(content).then(entry.resolve, entry.reject);
    }
  };
  if (!entry.isHere) {
    model.on('msg:custom', listen);
    try {
      model.send({ type: 'views' });
    } catch {
      // The kernel of this widget is gone, but the kernel of another widget may answer.
    }
    entry.views.then(() => {
      entry.isHere = true;
      model.off('msg:custom', listen);
    }, () => LOADED.delete(version));
  }
  return entry.views;
}

function paragraph(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** Return the lines about the program, if the saved state has them: a notebook may hold anything in their place. */
function summary(model) {
  const text = model.get('_summary');
  if (typeof text !== 'string' || text === '') {
    return [];
  }
  return [paragraph('pre', text.length > LONGEST ? text.slice(0, LONGEST) + '…' : text)];
}

export default {
  async render({ model, el }) {
    const words = document.createElement('div');
    words.setAttribute('role', 'status');
    const timer = setTimeout(() => {
      words.append(
        ...summary(model),
        paragraph(
          'p',
          'The kernel has not sent the views of this run yet. If a cell is running, wait until the cell ends. If no ' +
            'kernel is running, run the cell again.'
        )
      );
    }, SAY_AFTER);
    el.append(words);
    let isGone = false;
    let leave = () => undefined;
    viewsFor(model).then(
      ({ render }) => {
        clearTimeout(timer);
        words.remove();
        if (!isGone) {
          leave = render({ model, el });
        }
      },
      error => {
        clearTimeout(timer);
        words.replaceChildren(
          ...summary(model),
          paragraph('p', `This page does not run the script of the views (${error}). Save the run as a page instead: jupyter_jaxpr.last().snapshot.save("run.html").`)
        );
      }
    );
    return () => {
      isGone = true;
      clearTimeout(timer);
      leave();
    };
  }
};
