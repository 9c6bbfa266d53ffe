/**
 * Names the operations of the browser on a document and runs each: reading, program texts, links, search, copies,
 * costs, drawings.
 *
 * The operations of the Python side are in tests/fuzz/python_side.py.
 */
import { nullTranslator } from '@jupyterlab/translation';

import { excerptOf } from '../../excerpt/chosen-lines';
import { costsOf } from '../../model/costs';
import { EquationHeat, heatOfLines, measureOf } from '../../model/cost-shares';
import { linksOf } from '../../model/links';
import { JaxprModel } from '../../model/model';
import { whyUnreadable } from '../../model/error-words';
import { signatureOf } from '../../model/earlier-program';
import { ledgerMarkdown, ledgerText } from '../../panel/cache/copied-ledger';
import { rowsOf } from '../../panel/cache/folded-and-filtered-rows';
import { costMarkdown, costText } from '../../panel/cost/copied-costs';
import { GROUPS, readingOf as costsRead } from '../../panel/cost/cost-rows';
import { icicleOf } from '../../panel/cost/icicle-layout';
import { placementOf, rooflineOf } from '../../panel/cost/roofline-layout';
import { readingOf } from '../../panel/flow/cards-of-program';
import { drawingOf } from '../../panel/flow/card-drawing';
import { sweepMarkdown, sweepText } from '../../panel/time/copied-times';
import { plotSpec } from '../../panel/time/plot-spec';
import { choicesOf, plotSentence, seriesOf } from '../../panel/time/series';
import { programMarkdown } from '../../parts/program-as-markdown';
import { programText } from '../../parts/program-as-text';
import { fullSignature, whereAndWhen } from '../../parts/summary';
import { nameGroups } from '../../program-text/name-groups';
import { isUnreadable, readSnapshot } from '../../protocol/document';
import { Snapshot } from '../../protocol/snapshot';
import type { Selection } from '../../tokens';
import { hlo } from '../../workbench/languages/shortened-hlo-lines';
import { ProgramListings } from '../../workbench/levels/program-listings';
import { IListing } from '../../workbench/listing/listing';
import { findMatches } from '../../workbench/reading/matches';
import { noiseOfRows } from '../../workbench/reading/noise-rules';
import { readQuery } from '../../workbench/reading/query';
import { drawShards } from '../../workbench/shardings/device-drawing';

const trans = nullTranslator.load('jupyter_jaxpr');

/** An operation on a document: its name and the function that runs it. */
export type Operation = readonly [string, () => unknown];

/**
 * The operations try at most this many programs of a document, draw this many lines at the start and the end of a
 * listing, and point at this many lines.
 */
const PROGRAMS = 3;
const LINES = 40;
const POINTED = 8;

const INK = {
  text: '#000',
  second: '#333',
  grid: '#ccc',
  ground: '#fff',
  eager: '#00f',
  first: '#0f0',
  warm: '#f00',
  font: 'sans-serif',
  fontSize: 12
};

/** Reads a document; returns the document, or, if the document is refused, the sentence that says why. */
export function read(value: unknown): Snapshot | string {
  const found = readSnapshot(value);
  return isUnreadable(found) ? whyUnreadable(found, trans) : found;
}

export function* operations(snapshot: Snapshot): Generator<Operation> {
  yield ['model', () => inModel(snapshot)];
  yield ['where and when', () => whereAndWhen(snapshot, trans)];
  yield ['ledger as text', () => ledgerText(snapshot, trans)];
  yield ['ledger as Markdown', () => ledgerMarkdown(snapshot, trans)];
  yield ['ledger rows', () => ledgerRows(snapshot)];
  const { sweep } = snapshot;
  if (sweep) {
    yield ['sweep as text', () => sweepText(sweep, trans)];
    yield ['sweep as Markdown', () => sweepMarkdown(snapshot, sweep, trans)];
    yield ['plots', () => plots(snapshot)];
  }
  for (const shardings of snapshot.shardings ?? []) {
    yield [
      'pictures of shardings',
      () =>
        shardings.arrays
          .slice(0, LINES)
          .map(array =>
            drawShards(array, shardings.layouts[array.layout], 400, trans)
          )
    ];
  }
  for (let index = 0; index < snapshot.programs.length; index++) {
    if (index < PROGRAMS || index === snapshot.focus) {
      yield* ofProgram(snapshot, index);
    }
  }
}

function* ofProgram(snapshot: Snapshot, index: number): Generator<Operation> {
  const program = snapshot.programs[index];
  yield ['signature', () => fullSignature(program) + signatureOf(program)];
  yield ['copy', () => programText(snapshot, index)];
  yield ['copy as Markdown', () => programMarkdown(snapshot, index, trans)];
  yield ['links', () => linksOf(snapshot, index)];
  let listings: ProgramListings | null = null;
  yield [
    'rows',
    () => (listings = new ProgramListings(snapshot, index, trans))
  ];
  if (listings !== null) {
    yield* ofListings(listings as ProgramListings);
  }
  yield ['cards', () => drawings(snapshot, index)];
  const cost = snapshot.costs?.find(one => one.program === index);
  if (!cost) {
    return;
  }
  yield ['heat', () => heatOfLines(snapshot, cost, trans)];
  yield ['costs', () => costs(snapshot, index)];
}

function* ofListings(listings: ProgramListings): Generator<Operation> {
  const { jaxpr, links, program } = listings;
  yield ['jaxpr', () => drawn(jaxpr)];
  yield ['groups', () => nameGroups(jaxpr.rows.rows, links.equations)];
  yield ['noise', () => noiseOfRows(jaxpr.rows)];
  yield ['search', () => search(jaxpr)];
  yield* pointing(listings);
  for (const level of program.levels) {
    if (level.state === 'held') {
      let text: IListing | null = null;
      yield [
        level.name,
        () => (text = listings.pages.takeText(level.name, level))
      ];
      if (text !== null) {
        const held = text as IListing;
        yield [`lines of ${level.name}`, () => drawn(held)];
        yield [`search in ${level.name}`, () => search(held)];
        yield* pointingAt(listings, held);
      }
    }
  }
  yield ['tokens', () => hlo];
}

function inModel(snapshot: Snapshot): void {
  const model = new JaxprModel(trans);
  model.show(snapshot, true);
  for (let index = 0; index < snapshot.programs.length; index++) {
    model.setProgram(index);
    costsOf(model).costOf(snapshot, index);
  }
  costsOf(model).machineOf(snapshot);
  model.dispose();
}

function ledgerRows(snapshot: Snapshot): void {
  for (const filter of ['', 'a']) {
    rowsOf(
      snapshot,
      { order: null, filter, folds: new Map(), guesses: null },
      trans
    );
  }
}

function plots({ sweep }: Snapshot): void {
  if (!sweep) {
    return;
  }
  for (const { choice } of choicesOf(sweep, trans)) {
    const series = seriesOf(sweep, choice, trans);
    plotSentence(sweep, choice, series, trans);
    plotSpec(series, {
      name: sweep.name,
      choice,
      width: 400,
      ink: INK,
      words: { series: 'series', shown: 'shown' }
    });
  }
}

function drawings(snapshot: Snapshot, index: number): void {
  const reading = readingOf(snapshot, index);
  for (const card of reading.all.slice(0, LINES)) {
    drawingOf(reading, card, 400, trans);
    reading.equationsOf(card.control);
    reading.ownRows(card.control);
  }
}

function costs(snapshot: Snapshot, index: number): void {
  const cost = snapshot.costs?.find(one => one.program === index);
  if (!cost) {
    return;
  }
  const reading = costsRead(snapshot, index, cost);
  for (const group of GROUPS) {
    costText(reading, group, null, 'work', trans);
    costMarkdown(reading, group, null, 'work', trans);
    const rows = reading.rows(group, null);
    for (let row = 0; row < Math.min(LINES, rows.length); row++) {
      reading.equationsOf(group, row);
    }
  }
  cost.by_line.slice(0, LINES).forEach(row => reading.product(row));
  icicleOf(cost.by_scope, measureOf(cost));
  icicleOf(cost.by_name_stack, measureOf(cost));
  const heat = new EquationHeat(cost, trans);
  for (const { scope, flops } of cost.scopes) {
    flops.forEach((_, equation) => heat.of([{ scope, equation }]));
  }
  const { machine } = snapshot;
  if (machine && machine.flops > 0 && machine.bandwidth > 0) {
    const timing = snapshot.timings?.find(one => one.program === index);
    const placement = placementOf(cost, machine, timing?.warm ?? null);
    rooflineOf(machine, placement, {
      left: 0,
      right: 400,
      top: 0,
      bottom: 200
    });
  }
}

/** Prints a listing's whole text, and calls for its first and last lines all functions that the editor calls. */
function drawn(listing: IListing): void {
  const { lines } = listing.document();
  for (let line = 0; line < lines; line++) {
    if (line < LINES || line >= lines - LINES) {
      listing.line(line);
      listing.indentation(line);
      listing.folds(line);
      listing.heads.of(line);
      listing.describe(line, -1);
      listing
        .variablesIn?.(line)
        .slice(0, 5)
        .forEach(place => {
          listing.variableRange?.(place);
        });
    }
  }
  [...listing.allFolds()].slice(0, LINES).forEach(fold => fold.placeholder());
  listing.nameFolds?.();
  listing.noise();
  listing.wholeText();
  listing.arrived();
}

function search(listing: IListing): void {
  const text = listing.document();
  for (const sought of [
    'a',
    'f32[*,...]',
    'line:1',
    'scope:a*',
    'primitive:a'
  ]) {
    const query = readQuery(
      { text: sought, caseSensitive: false, regexp: false },
      trans
    );
    findMatches(text, listing, query, listing.level);
  }
}

/** Each pointing is an operation of its own, because the user points at one place at a time. */
function* pointing(listings: ProgramListings): Generator<Operation> {
  const { links, jaxpr } = listings;
  for (const row of jaxpr.rows.rows.slice(0, POINTED)) {
    if (row.kind === 'equation') {
      const { scope, equation } = row;
      const selection = {
        kind: 'equations' as const,
        equations: [{ scope, equation }]
      };
      yield ['pointing at an equation', () => pointed(listings, selection)];
    }
  }
  const { cell } = links.equations.snapshot;
  for (let line = 1; line < POINTED; line++) {
    const caret = { kind: 'caret' as const, cellId: cell?.id ?? '' };
    const path = cell?.file ?? '';
    const places: Selection[] = [
      { ...caret, line, column: 2 },
      { kind: 'source', path, line, column: 2 }
    ];
    for (const place of places) {
      yield ['pointing at a line of the cell', () => pointed(listings, place)];
    }
  }
}

function* pointingAt(
  listings: ProgramListings,
  held: IListing
): Generator<Operation> {
  for (let line = 0; line < Math.min(POINTED, held.document().lines); line++) {
    yield [
      `pointing at ${held.level}`,
      () => {
        const selection = held.selection(line, line);
        if (selection) {
          pointed(listings, selection);
        }
      }
    ];
  }
}

function pointed(listings: ProgramListings, selection: Selection): void {
  const { links, jaxpr } = listings;
  const linked = links.resolve(selection);
  links.sameSource(selection);
  jaxpr.linkedLines(linked);
  jaxpr.variables(linked);
  excerptOf(listings, selection, trans);
}
