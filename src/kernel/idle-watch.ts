/** Calls a function when a kernel has been idle for some time. */
import type { KernelConnection } from './channel-interface';

/**
 * Calls back once when a kernel has been idle for a time without interruption.
 *
 * @returns A function that ends the watch.
 */
export function whenIdleFor(
  kernel: KernelConnection,
  milliseconds: number,
  act: () => void
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    if (kernel.status === 'idle') {
      timer = setTimeout(() => {
        end();
        act();
      }, milliseconds);
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
