/** Names a control-flow construct by the function that the user called and by its body. */
import { Control } from '../protocol/snapshot';

/** The name of a construct, such as `scan step`; only `while_loop` where the body has no name of its own. */
export function constructName({ kind, title }: Control): string {
  return title === '' || title === '<lambda>' ? kind : `${kind} ${title}`;
}
