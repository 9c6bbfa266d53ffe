/**
 * Checks the cards of a document; a `Mismatch` names the wrong field.
 *
 * The equation of a card belongs to its scope, but the document may lack the equation: a large program arrives in
 * pages, and a saved copy may be cut.
 */
import { LIMITS, MOST } from './limits';
import { Branch, Control, Scope, Slot } from './snapshot';
import {
  checkEach,
  fields,
  flag,
  integer,
  oneOf,
  orNull,
  text,
  upTo,
  withDefault
} from './structure';

/** The lengths of the pools (lists of shared values) that the indices of a card point into. */
export interface IControlPools {
  avals: number;
  literals: number;
  frames: number;
  programs: number;
  scopes: readonly Scope[];
}

const LOWEST_OPERAND = -(2 ** 53) + 1;

const KINDS: readonly Control['kind'][] = [
  'cond',
  'switch',
  'scan',
  'while_loop',
  'fori_loop',
  'map',
  'associative_scan',
  'custom_jvp',
  'custom_vjp',
  'remat',
  'jit'
];
const ROLES: readonly Slot['role'][] = [
  'const',
  'carry',
  'xs',
  'ys',
  'operand',
  'result'
];
const TRIPS_FROM = ['length', 'bounds', 'xla'] as const;

/** Check all cards of a document; returns how many there are. */
export function checkControlFlow(value: unknown, pools: IControlPools): number {
  const cards = upTo(MOST.Snapshot.control_flow, value, 'control_flow');
  let slots = 0;
  cards.forEach((card, number) => {
    slots += checkControl(card, number, pools);
    integer(slots, 'control_flow.slots', 0, LIMITS.SLOTS + 1);
  });
  return cards.length;
}

function checkControl(
  value: unknown,
  number: number,
  pools: IControlPools
): number {
  const at = (field: string): string => `control_flow.${field}`;
  const card = fields(value, 'control_flow');
  oneOf(card.kind, at('kind'), KINDS);
  for (const name of ['primitive', 'title', 'parent_part', 'name_stack']) {
    text(card[name], at(name));
  }
  for (const name of [
    'library',
    'predicate_text',
    'condition_text',
    'lower',
    'upper',
    'choice',
    'choice_reason',
    'steppable'
  ]) {
    orNull(card[name], at(name), text);
  }
  integer(card.program, at('program'), 0, pools.programs);
  const scopes = pools.scopes.length;
  const scope = pools.scopes[integer(card.scope, at('scope'), 0, scopes)];
  integer(card.equation, at('equation'), 0, scope.count);
  integer(card.equations, at('equations'), 1, scope.count + 1);
  integer(card.predicate_equation, at('predicate_equation'), -1, scope.count);
  // A card comes after the card that contains it, so no card contains itself.
  integer(card.parent, at('parent'), -1, number);
  integer(card.depth, at('depth'), 0);
  integer(card.unroll, at('unroll'), 1);
  flag(card.reverse, at('reverse'));
  integer(card.frame, at('frame'), -1, pools.frames);
  integer(card.body_frame, at('body_frame'), -1, pools.frames);
  integer(card.body, at('body'), -1, scopes);
  integer(card.condition, at('condition'), -1, scopes);
  for (const name of ['trips', 'step_flops']) {
    orNull(card[name], at(name), count);
  }
  orNull(card.trips_from, at('trips_from'), (from, field) =>
    oneOf(from, field, TRIPS_FROM)
  );
  for (const name of ['facts', 'effects'] as const) {
    upTo(MOST.Control[name], card[name], at(name)).forEach(line =>
      text(line, at(name))
    );
  }

  const none = integer(
    card.no_operand,
    at('no_operand'),
    LOWEST_OPERAND,
    -pools.literals
  );
  const whole = scope.primitive.length === scope.count;
  const variables = whole
    ? scope.variable_avals.length
    : Number.MAX_SAFE_INTEGER;
  const operand = (entry: unknown, field: string): void => {
    if (entry !== none) {
      integer(entry, field, -pools.literals, variables);
    }
  };
  operand(card.predicate, at('predicate'));
  checkEach(card.branches, at('branches'), branch =>
    checkBranch(branch, pools)
  );
  return checkEach(card.slots, at('slots'), entry => {
    const slot = fields(entry, at('slots'));
    oneOf(slot.role, at('slots.role'), ROLES);
    text(slot.path, at('slots.path'));
    for (const name of ['step', 'whole', 'out']) {
      integer(slot[name], at(`slots.${name}`), 0, pools.avals);
    }
    operand(slot.operand, at('slots.operand'));
    flag(withDefault(slot.kept, false), at('slots.kept'));
  }).length;
}

function checkBranch(value: unknown, pools: IControlPools): Branch {
  const field = 'control_flow.branches';
  const branch = fields(value, field);
  text(branch.label, `${field}.label`);
  text(branch.name, `${field}.name`);
  integer(branch.scope, `${field}.scope`, -1, pools.scopes.length);
  integer(branch.equations, `${field}.equations`, 0);
  integer(branch.frame, `${field}.frame`, -1, pools.frames);
  orNull(branch.flops, `${field}.flops`, count);
  return branch as unknown as Branch;
}

function count(value: unknown, field: string): number {
  return integer(value, field, 0);
}
