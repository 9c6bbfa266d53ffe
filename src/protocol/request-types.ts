/** The types of each request: what its sender writes, and its answer. */
import type { EvaluableText } from './evaluable';
import { IRequestTypes, REQUESTS } from './request-table';

export type RequestName = keyof IRequestTypes;

export type Answer<Name extends RequestName> = IRequestTypes[Name]['answer'];

/** Texts of requests that the kernel compares with its own and evaluates nowhere: a run, a file, a platform, a cell. */
type Reference =
  'snapshot' | 'before' | 'path' | 'platform' | 'cell_id' | 'in_view';

/**
 * The parameters of a request as the sender writes them: a field that may hold any text has to hold an `EvaluableText`.
 */
type Written<Request> = {
  [
    Field in keyof Omit<Request, 'id' | 'type' | 'confirmed'>
  ]: Field extends Reference
    ? Request[Field]
    : string extends Request[Field]
      ? EvaluableText | Extract<Request[Field], null>
      : string[] extends Request[Field]
        ? readonly EvaluableText[]
        : Request[Field];
};

/** The parameters of a request. */
export type Params<Name extends RequestName> = Written<
  IRequestTypes[Name]['params']
>;

/** A request; the channel adds the id. A long request also says whether the user has confirmed it. */
export type KernelRequest<Name extends RequestName> = Params<Name> & {
  readonly type: Name;
  readonly confirmed?: boolean;
};

/** A request in the form that the kernel reads, without the id. */
export type WireRequest = {
  [Name in RequestName]: Omit<IRequestTypes[Name]['params'], 'id'>;
}[RequestName];

/** Requests that may ask for a confirmation, report their progress, and can be stopped. */
export type LongName = {
  [Name in RequestName]: (typeof REQUESTS)[Name]['isLong'] extends true
    ? Name
    : never;
}[RequestName];

/** Requests that the kernel answers at once. */
export type ShortName = Exclude<RequestName, LongName>;
