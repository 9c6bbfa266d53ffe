/** Makes a text as if a person had typed it into a field. */
import { EvaluableText } from '../evaluable';

export function typed(text: string): EvaluableText {
  const field = document.createElement('input');
  let found: EvaluableText | null = null;
  field.addEventListener('input', event => {
    found = EvaluableText.typed({ currentTarget: field, nativeEvent: event });
  });
  field.value = text;
  field.dispatchEvent(new Event('input'));
  return found!;
}
