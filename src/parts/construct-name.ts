/** Names a control-flow construct by the function that the user called and by its body. */
import { Control } from '../protocol/snapshot';

/** The name of a construct, such as `scan step`; `while_loop` alone if the body has no name. */
export function constructName({ kind, title }: Control): string {
  return title === '' || title === '<lambda>' ? kind : `${kind} ${title}`;
}
