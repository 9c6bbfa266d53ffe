export type { ILinked, ILinkedSpan } from './linked';
export type { IExpression } from './linked-places';
export type { ILineFacts, TextLevel } from './linked-text';
export { Links, linksOf } from './links';
export type { ILinesEquations } from './links';
