/** Draws a text of a program so that a narrow line breaks after a bracket, a comma or a sign, not inside a name. */
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
