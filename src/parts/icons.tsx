/** Draws an icon by name, 16 pixels, in the colour of its text. */
import * as React from 'react';

const PATHS = {
  caret: ['m4.5 6.5 3.5 3.5 3.5-3.5'],
  pin: [
    'M10 1.8 14.2 6l-2.6.6-2.4 2.4-.4 3.6L3.4 7.2 7 6.8l2.4-2.4z',
    'M6 10 2 14'
  ],
  pause: ['M5.5 3v10M10.5 3v10'],
  resume: ['M5 3.2v9.6L12.5 8z'],
  previous: ['m10 3.5-4.5 4.5 4.5 4.5'],
  next: ['m6 3.5 4.5 4.5-4.5 4.5'],
  live: [
    'M8 6.6a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8z',
    'M4.6 4.6a4.8 4.8 0 0 0 0 6.8M11.4 4.6a4.8 4.8 0 0 1 0 6.8'
  ],
  copy: ['M5.5 5.5h8v8h-8z', 'M3 10.5H2.5v-8h8V3'],
  more: ['M3 8h.01M8 8h.01M13 8h.01'],
  error: ['M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2z', 'M8 4.5v4.3M8 11v.6'],
  power: ['M8 2.5v5', 'M4.2 4.6a5 5 0 1 0 7.6 0'],
  plus: ['M8 3.5v9M3.5 8h9'],
  minus: ['M3.5 8h9'],
  whole: ['M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3'],
  present: ['M2 3h12v7.5H2zM8 10.5v3M5 13.5h6'],
  close: ['m4 4 8 8M12 4l-8 8'],
  program: ['M3 3h10M3 6.4h7M3 9.7h10M3 13h5'],
  flow: ['M4.6 12.4a5 5 0 1 1 6.8 0', 'm9 10.6 2.6 1.9 1.4-2.9'],
  save: ['M8 2.5v7.5M4.8 7 8 10.2 11.2 7', 'M2.8 13h10.4'],
  cache: ['M8 1.8 14.2 8 8 14.2 1.8 8z', 'M8 5.2 10.8 8 8 10.8 5.2 8z'],
  cost: ['M3 13V8M8 13V3M13 13V6'],
  compare: ['M3 2.8h4v10.4H3zM9 2.8h4v10.4H9z', 'M5 6v4M11 6v1.5'],
  diff: ['M4.5 2.5v5M2 5h5M9.5 11h4.5', 'M12.5 3 3.5 13'],
  time: ['M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2z', 'M8 4.5V8l2.5 1.8'],
  notes: ['M3 2.5h10v8L10 14H3z', 'M13 10.5h-3V14'],
  printed: ['M2.5 3h11v10h-11z', 'm5 6 2 2-2 2M8.5 10h2.5'],
  constant: ['M8 1.8 13.5 5v6L8 14.2 2.5 11V5z', 'M2.5 5 8 8.2 13.5 5M8 8.2v6'],
  refresh: [
    'M3 6.5A5.2 5.2 0 0 1 13 7M13 3.5V7H9.6M13 9.5A5.2 5.2 0 0 1 3 9M3 12.5V9h3.4'
  ]
};

export type IconName = keyof typeof PATHS;

/** Hidden from screen readers, because an icon always stands beside a word or on a button with a label. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg
      className={`jp-JaxprPanel-icon jp-mod-${name}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      {PATHS[name].map(path => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
