/** Calls a function when a kernel is idle but does not answer a request of the page. */
import type { KernelConnection } from './channel-interface';

/**
 * If an idle kernel does not answer within this time, it will not answer. The time is needed because the reply and the
 * status `idle` come over two sockets, in any order.
 */
const UNANSWERED_AFTER = 3000; // milliseconds

/**
 * Calls back once when a kernel has been idle for a time without interruption, so that it will not answer any more.
 *
 * @returns A function that ends the watch; the caller calls it when the kernel answered.
 */
export function whenUnanswered(
  kernel: KernelConnection,
  act: () => void
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    if (kernel.status === 'idle') {
      timer = setTimeout(() => {
        end();
        act();
      }, UNANSWERED_AFTER);
    }
  };
  const end = (): void => {
    clearTimeout(timer);
    kernel.statusChanged.disconnect(watch);
  };
  kernel.statusChanged.connect(watch);
  watch();
  return end;
}
