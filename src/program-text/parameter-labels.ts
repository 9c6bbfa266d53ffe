/** Shortens the parameters of a primitive to the few letters that the panel shows. */
import {
  LONGEST_TELLING_PARAMETER,
  LONGEST_WHOLE_PARAMETERS,
  TELLING_PARAMETERS
} from '../protocol/facts';

/** The text of the chip that replaces the parameters between the brackets. */
export function parameterLabel(
  primitive: string,
  parameters: readonly (readonly [string, string, ...unknown[]])[]
): string {
  const whole = parameters.map(([name, value]) => `${name}=${value}`).join(' ');
  if (whole.length <= LONGEST_WHOLE_PARAMETERS) {
    return whole || '…';
  }
  const telling = parameters.find(
    ([name]) => name === TELLING_PARAMETERS[primitive]
  );
  if (telling === undefined) {
    return '…';
  }
  const label = `${telling[0]}=${telling[1]}`;
  if (label.length > LONGEST_TELLING_PARAMETER) {
    return '…';
  }
  return parameters.length === 1 ? label : `${label} …`;
}
