/** Draws program text in which lines may break after a bracket, a comma or an operator, but not inside a name. */
import * as React from 'react';

const PLACES = /(?<=[[({,=])(?=[A-Za-z_])/;

export function BreakableText({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text.split(PLACES).map((part, index) => (
        <React.Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </React.Fragment>
      ))}
    </>
  );
}
