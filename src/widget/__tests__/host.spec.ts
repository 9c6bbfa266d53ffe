import { Clipboard } from '../host';

/**
 * Makes `document.execCommand` emit a `copy` event and add the text to `copied`; null makes the page forbid copying.
 */
function pageCopies(copied: string[] | null): void {
  document.execCommand = () => {
    if (copied === null) {
      return false;
    }
    const clipboardData = {
      setData: (_: string, text: string) => copied.push(text)
    };
    const event = new Event('copy', { bubbles: true, cancelable: true });
    document.body.dispatchEvent(Object.assign(event, { clipboardData }));
    return true;
  };
}

it('copies without the permission that the frame of an output may not have', async () => {
  const copied: string[] = [];
  pageCopies(copied);
  expect(await Clipboard.copyToSystem('a program')).toBe(true);
  expect(copied).toEqual(['a program']);
});

it('says so if the page forbids the clipboard', async () => {
  pageCopies(null);
  expect(await Clipboard.copyToSystem('a program')).toBe(false);
});
