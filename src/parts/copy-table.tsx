/** Draws the two buttons that copy a table, as text and as Markdown, and the notice after a copy. */
import { Clipboard } from '../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Icon } from './icons';

/** The props of a button that belongs to a toolbar with arrow keys. */
type ButtonProps = Pick<
  React.ButtonHTMLAttributes<HTMLButtonElement>,
  'tabIndex' | 'onFocus'
>;

export function CopyTable(props: {
  /** Makes the table as text. */
  text: () => string;
  /** Makes the table as Markdown. */
  markdown: () => string;
  /** True while the table cannot be copied. */
  isDisabled?: boolean;
  /** The class of the second button. */
  markdownClass?: string;
  /** The props of the two buttons, if the toolbar has arrow keys. */
  stops?: readonly [ButtonProps, ButtonProps];
  trans: TranslationBundle;
}): JSX.Element {
  const { text, markdown, isDisabled, markdownClass, stops, trans } = props;
  const [copied, setCopied] = React.useState('');
  const copy = (table: () => string, notice: string): void => {
    if (isDisabled !== true) {
      Clipboard.copyToSystem(table());
      setCopied(notice);
    }
  };
  const asText = trans.__('Copy the table as text');
  const asMarkdown = trans.__('Copy the table as Markdown');
  return (
    <>
      <button
        {...stops?.[0]}
        className="jp-JaxprPanel-action"
        aria-label={asText}
        title={asText}
        aria-disabled={isDisabled}
        onClick={() => copy(text, trans.__('The table was copied as text.'))}
      >
        <Icon name="copy" />
      </button>
      <button
        {...stops?.[1]}
        className={`jp-JaxprPanel-action ${markdownClass ?? ''}`.trim()}
        aria-label={asMarkdown}
        title={asMarkdown}
        aria-disabled={isDisabled}
        onClick={() =>
          copy(markdown, trans.__('The table was copied as Markdown.'))
        }
      >
        {trans.__('MD')}
      </button>
      <span className="jp-JaxprPanel-notice" role="status">
        {copied}
      </span>
    </>
  );
}
