export type { ILineFacts, TextLevel } from './linked-text';
export { Links, linksOf } from './links';
export type {
  IExpression,
  ILinesEquations,
  ILinked,
  ILinkedSpan
} from './links';
