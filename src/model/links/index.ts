export type { ILineFacts, TextLevel } from './linked-text';
export { Links, linksOf } from './links';
export type { ILinesEquations, ILinked, ILinkedSpan } from './links';
