/** The memory of the executable in XLA's numbers: arguments, results, temporaries, code, donated arguments. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Memory } from '../../protocol/snapshot';
import { size } from '../../quantities';

export function ExecutableMemory(props: {
  memory: Memory;
  trans: TranslationBundle;
}): JSX.Element {
  const { memory, trans } = props;
  const parts: [string, number | null][] = [
    [trans.__('arguments'), memory.arguments],
    [trans.__('results'), memory.results],
    [trans.__('temporaries'), memory.temporaries],
    [trans.__('compiled code'), memory.generated_code],
    [trans.__('aliased (donated)'), memory.aliased]
  ];
  return (
    <dl
      className="jp-JaxprCost-facts"
      aria-label={trans.__('Memory of the executable, reported by XLA')}
    >
      {parts.map(([name, bytes]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {bytes === null ? (
              <span className="jp-JaxprPanel-second">
                {trans.__('unknown')}
              </span>
            ) : (
              size(bytes)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
