export type { ILinked, ILinkedSpan } from './linked-to-selection';
export type { IExpression } from './place-links';
export type { ILineFacts, TextLevel } from './text-line-origins';
export { Links, linksOf } from './program-links';
export type { ILinesEquations } from './program-links';
