import { nullTranslator } from '@jupyterlab/translation';

import {
  ledgerCounts,
  ledgerFunction,
  ledgerMiss,
  ledgerReason,
  snapshotWithLedger
} from '../../../protocol/__tests__/documents';
import { Ledger, Snapshot } from '../../../protocol/snapshot';
import { whereAndWhen } from '../../../parts/summary';
import { ledgerMarkdown, ledgerText } from '../copied-ledger';

const trans = nullTranslator.load('jupyter_jaxpr');

/** Makes a ledger with `train_step` and with a lambda that the code makes anew in each iteration of a loop. */
function two(changes: Partial<Ledger> = {}): Snapshot {
  const again = (ordinal: string, compile: number) =>
    ledgerMiss({
      reasons: [
        ledgerReason({
          kind: 'new_function',
          text: `This is the ${ordinal} function object of lambda from line 4.`,
          cure: 'Make it once.'
        })
      ],
      signature: 'v: f32[4]',
      entry: -1,
      trace: null,
      lower: 0.001,
      compile
    });
  const lambda = ledgerFunction({
    name: '<lambda>',
    definition: 1,
    run: ledgerCounts({
      calls: 4,
      calls_exact: false,
      hits: 1,
      misses: 3,
      compiles: 3,
      seconds: 0.06
    }),
    entries: [],
    misses: [
      again('second', 0.009),
      again('third', 0.019),
      again('fourth', 0.029)
    ]
  });
  return snapshotWithLedger({
    functions: [ledgerFunction(), lambda],
    compiles: 5,
    seconds: 0.374,
    lead: '5 compiles: tracing, lowering and compiling took 374 ms.',
    ...changes
  });
}

describe('the table as text', () => {
  it('has columns, the reasons below each function, and the sums', () => {
    expect(ledgerText(two(), trans)).toBe(
      `5 compiles: tracing, lowering and compiling took 374 ms.

function             calls  hits  entries  compiles   price
train_step (line 3)     12    10        2         2  314 ms
  ◆ batch: f32[32,3] · 8 later hits · 155 ms
    This is the first call of train_step.
  ◆ batch: f32[17,3] · 2 later hits · 159 ms
    The type of batch changed from f32[32,3] to f32[17,3].
    Pad the array to one shape.
<lambda> (line 4)       ≥4    ≥1        0         3   60 ms
  ◆ v: f32[4] · × 3 · 10 ms to 30 ms per miss · 60 ms
    This is the fourth function object of lambda from line 4.
    Make it once.
2 functions            ≥16   ≥11        2         5  374 ms
`
    );
  });

  it('says what is unknown, and why', () => {
    const one = ledgerFunction({
      run: ledgerCounts({ calls: null, hits: null, misses: 1 }),
      entries: [],
      misses: [
        ledgerMiss({
          outcome: 'dispatch_only',
          outcome_text: 'slow hit',
          reasons: [
            ledgerReason({
              kind: 'argument_type',
              text: 'The class of x changed from numpy to jax.Array; the type f32[8] is the same.',
              argument: 'x',
              before: 'numpy.ndarray',
              after: 'jax.Array'
            })
          ],
          entry: -1,
          trace: null,
          lower: null,
          compile: null
        })
      ]
    });
    const text = ledgerText(
      snapshotWithLedger({
        functions: [one],
        compiles: 0,
        seconds: 0,
        calls_note: 'Calls cannot be counted here.',
        lead: 'No jitted function of yours compiled. The number of calls is unknown.'
      }),
      trans
    );
    expect(text).toBe(
      `No jitted function of yours compiled. The number of calls is unknown.
Calls cannot be counted here.

function               calls     hits  entries  compiles  price
train_step (line 3)  unknown  unknown        0         0
  ○ batch: f32[32,3] · slow hit
    The class of x changed from numpy to jax.Array; the type f32[8] is the same.
`
    );
  });

  it('is one sentence where no function was called', () => {
    const lead = 'No call of a jitted function of yours was seen.';
    const none = { functions: [], compiles: 0, seconds: 0, lead };
    expect(ledgerText(snapshotWithLedger(none), trans)).toBe(`${lead}\n`);
  });

  it('names the outcome where a document of an older version has no words', () => {
    const miss = ledgerMiss({ outcome: 'raised', reasons: [], entry: -1 });
    delete miss.outcome_text;
    const one = ledgerFunction({ entries: [], misses: [miss] });
    const document = snapshotWithLedger({ functions: [one] });
    delete document.ledger!.lead;
    expect(ledgerText(document, trans).split('\n').slice(1, 4)).toEqual([
      'function             calls  hits  entries  compiles   price',
      'train_step (line 3)     12    10        0         2  314 ms',
      '  × batch: f32[32,3] · raised · 155 ms'
    ]);
  });
});

describe('the table as Markdown', () => {
  it('is a table and a list; names and values are never markup', () => {
    const snapshot = two();
    snapshot.ledger!.functions[0].name = 'a|b`c';
    expect(ledgerMarkdown(snapshot, trans)).toBe(
      `\`5 compiles: tracing, lowering and compiling took 374 ms.\`

| function | calls | hits | entries | compiles | price |
| --- | ---: | ---: | ---: | ---: | ---: |
| \`\`a\\|b\`c (line 3)\`\` | 12 | 10 | 2 | 2 | 314 ms |
| \`<lambda> (line 4)\` | ≥4 | ≥1 | 0 | 3 | 60 ms |
| **2 functions** | **≥16** | **≥11** | **2** | **5** | **374 ms** |

\`\`a|b\`c (line 3)\`\`

- ◆ \`batch: f32[32,3] · 8 later hits\` 155 ms
  \`This is the first call of train_step.\`
- ◆ \`batch: f32[17,3] · 2 later hits\` 159 ms
  \`The type of batch changed from f32[32,3] to f32[17,3].\`
  \`Pad the array to one shape.\`

\`<lambda> (line 4)\`

- ◆ \`v: f32[4] · × 3 · 10 ms to 30 ms per miss\` 60 ms
  \`This is the fourth function object of lambda from line 4.\`
  \`Make it once.\`

${whereAndWhen(snapshot, trans)}
`
    );
  });
});
