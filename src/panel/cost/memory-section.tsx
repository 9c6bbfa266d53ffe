/** The memory of a program in two parts: XLA's numbers about the executable, and an estimate from the jaxpr by line. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { LiveBuffer, Memory, Residual } from '../../protocol/snapshot';
import { grouped, size } from '../../quantities';
import { Stretches, bold, stretches } from '../../parts/bold-numbers';
import { framePlace, shortened } from '../../parts/summary';
import { CostReading } from './cost-rows';
import { ExecutableMemory } from './executable-memory';
import { isOwn } from './words';

/** The largest number of rows that are shown; further rows are counted. */
const MOST = 10;

interface ISectionProps {
  reading: CostReading;
  select: (frame: number) => void;
  trans: TranslationBundle;
}

export function MemorySection(props: ISectionProps): JSX.Element {
  const { reading, trans } = props;
  const { memory } = reading.cost;
  return (
    <section className="jp-JaxprCost-section">
      <h2>{trans.__('Memory')}</h2>
      {memory === null ? (
        <p className="jp-JaxprPanel-small">
          {trans.__(
            'The memory of this program is unknown. The program was not compiled, or XLA gives no memory analysis.'
          )}
        </p>
      ) : (
        <>
          <ExecutableMemory memory={memory} trans={trans} />
          <Estimate {...props} memory={memory} />
          <Residuals {...props} memory={memory} />
          {memory.constants > 0 && (
            <p className="jp-JaxprPanel-small">
              {trans.__(
                'The function captures constants with a size of %1 from outside of its arguments. Pass large arrays as arguments.',
                size(memory.constants)
              )}
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** The estimate from the jaxpr: the largest number of bytes that are alive at the same time. */
function Estimate(props: ISectionProps & { memory: Memory }): JSX.Element {
  const { memory, trans } = props;
  if (memory.peak === null) {
    return (
      <p className="jp-JaxprPanel-small">
        {trans.__('The memory peak is unknown.')}
      </p>
    );
  }
  return (
    <>
      {memory.peak_text && (
        <p className="jp-JaxprCost-sentence">
          {shortened(memory.peak_text)}{' '}
          <Where {...props} frame={memory.peak_frame} />
        </p>
      )}
      {memory.live.length > 0 && (
        <Table
          {...props}
          label={trans.__('Largest live arrays at the memory peak (estimate)')}
          name={trans.__('live array')}
          rows={memory.live.map((buffer: LiveBuffer) => ({
            name: buffer.name,
            type: buffer.type,
            bytes: buffer.bytes,
            frame: buffer.frame
          }))}
        />
      )}
    </>
  );
}

/** The residuals that grad keeps for the backward pass. */
function Residuals(
  props: ISectionProps & { memory: Memory }
): JSX.Element | null {
  const { memory, trans } = props;
  if (memory.residuals.length === 0) {
    return null;
  }
  return (
    <>
      <p className="jp-JaxprCost-sentence">
        <Stretches
          parts={stretches(
            trans.__(
              'The forward pass keeps residuals of %1 for the backward pass.',
              bold(size(memory.residual_bytes))
            )
          )}
        />{' '}
        <span className="jp-JaxprPanel-small">
          {trans.__(
            'jax.checkpoint keeps fewer arrays and computes more operations.'
          )}
        </span>
      </p>
      <Table
        {...props}
        label={trans.__('Residuals')}
        name={trans.__('residual')}
        rows={memory.residuals.map((residual: Residual) => ({
          name: residual.name,
          type:
            residual.count > 1
              ? `${grouped(residual.count)} × ${residual.type}`
              : residual.type,
          bytes: residual.bytes,
          frame: residual.frame
        }))}
      />
    </>
  );
}

interface IArrayRow {
  name: string;
  type: string;
  bytes: number;
  frame: number;
}

function Table(
  props: ISectionProps & {
    label: string;
    name: string;
    rows: readonly IArrayRow[];
  }
): JSX.Element {
  const { label, name, rows, trans } = props;
  const [all, setAll] = React.useState(false);
  const shown = all ? rows : rows.slice(0, MOST);
  return (
    <>
      <table className="jp-JaxprCost-numbers" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col">{trans.__('line')}</th>
            <th scope="col">{trans.__('size')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row, at) => (
            <tr key={at}>
              <th scope="row">
                {shortened(row.name, 120)}{' '}
                <code className="jp-JaxprPanel-type">
                  {shortened(row.type, 120)}
                </code>
              </th>
              <td>
                <Where {...props} frame={row.frame} />
              </td>
              <td>{size(row.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <p>
          <button className="jp-JaxprPanel-link" onClick={() => setAll(true)}>
            {trans.__('Show all %1 rows', rows.length)}
          </button>
        </p>
      )}
    </>
  );
}

/** A button with the place of a source line; a click goes to the line. */
function Where(props: ISectionProps & { frame: number }): JSX.Element | null {
  const { reading, frame, select, trans } = props;
  const place = framePlace(reading.snapshot, frame, trans);
  if (place === null) {
    return null;
  }
  const label = isOwn(reading.snapshot, frame)
    ? trans.__('line %1', place.span.line)
    : place.label;
  return place.cellId === null ? (
    <span>{label}</span>
  ) : (
    <button
      className="jp-JaxprPanel-link"
      title={trans.__('Go to this line')}
      onClick={() => select(frame)}
    >
      {label}
    </button>
  );
}
