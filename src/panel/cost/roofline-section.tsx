/**
 * Draws the roofline with the program on it, as a picture and in words.
 *
 * The machine's peak rates are measured on request.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { percent } from '../../model/cost-shares';
import { TRANSCENDENTAL_WEIGHT } from '../../protocol/facts';
import { Costs } from '../../model/costs';
import { timingsOf } from '../../model/timings';
import { Machine, WarmTime } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import {
  duration,
  factor,
  operations,
  shortCount,
  size
} from '../../quantities';
import { Stretches, bold, stretches } from '../../parts/bold-numbers';
import { shortened } from '../../parts/summary';
import { Running } from '../../parts/button-or-progress';
import { CostReading } from './cost-rows';
import { IPlacement, placementOf, rooflineOf } from './roofline-layout';
import { useWidth } from '../../parts/use-width';

const HEIGHT = 200;
const WIDEST = 520;

export function RooflineSection(props: {
  model: IJaxprModel;
  costs: Costs;
  reading: CostReading;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, costs, reading, trans } = props;
  const { snapshot, program, cost } = reading;
  const machine = costs.machineOf(snapshot);
  const warm = timingsOf(model).timingOf(snapshot, program)?.warm ?? null;
  const placement = machine === null ? null : placementOf(cost, machine, warm);
  return (
    <section className="jp-JaxprCost-section">
      <h2>{trans.__('Roofline')}</h2>
      {machine !== null && (
        <>
          <p className="jp-JaxprCost-sentence">
            <Stretches parts={stretches(sentence(placement, warm, trans))} />
            {placement !== null &&
              cost.transcendentals > 0 &&
              ` ${trans.__('In the roofline, a transcendental operation counts as %1 operations.', TRANSCENDENTAL_WEIGHT)}`}
          </p>
          <Picture machine={machine} placement={placement} trans={trans} />
          <p className="jp-JaxprPanel-small">
            {trans.__(
              'With the dtype %4, this machine (%1) computes up to %2/s and moves up to %3/s.',
              shortened(machine.device, 60),
              operations(machine.flops),
              size(machine.bandwidth),
              shortened(machine.dtype, 20)
            )}{' '}
            {shortened(machine.how, 400)}
          </p>
        </>
      )}
      <Measuring {...props} again={machine !== null} />
    </section>
  );
}

/** The button that starts the measurement, and its progress. */
function Measuring(props: {
  model: IJaxprModel;
  costs: Costs;
  reading: CostReading;
  again: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, costs, reading, again, trans } = props;
  const { snapshot } = reading;
  const { machine } = costs;
  const about = React.useId();
  if (model.requests === null) {
    return (
      <p className="jp-JaxprPanel-small">
        {again
          ? ''
          : trans.__(
              'This machine was not measured, and no kernel is available to measure the machine. Run the cell again.'
            )}
      </p>
    );
  }
  return (
    <Running
      state={machine.stateOf(snapshot)}
      title={trans.__('Measure the speed of this machine?')}
      stop={() => machine.stop(snapshot)}
      yes={() => void machine.confirm(snapshot)}
      no={() => machine.dismiss(snapshot)}
      trans={trans}
    >
      <div className="jp-JaxprCost-start">
        <button
          className="jp-JaxprPanel-button"
          aria-describedby={about}
          onClick={() =>
            void machine.start(snapshot, 0, { snapshot: snapshot.id })
          }
        >
          {again
            ? trans.__('Measure this machine again')
            : trans.__('Measure this machine')}
        </button>
        <p id={about} className="jp-JaxprPanel-small">
          {trans.__(
            'To find the peak speed of the device, the measurement times a matmul and a copy for at most 2 s. The kernel keeps the result until the kernel stops.'
          )}
        </p>
      </div>
    </Running>
  );
}

/** A sentence such as `Memory-bound: 12 % of the roof.` */
function sentence(
  placement: IPlacement | null,
  warm: WarmTime | null,
  trans: TranslationBundle
): string {
  if (placement === null) {
    return trans.__(
      'This program has no place on the roofline: the program has no operations or moves no bytes.'
    );
  }
  const { intensity, roof, bound, reached, part } = placement;
  const where =
    bound === 'memory'
      ? trans.__(
          'The program is memory-bound: at %1 operations per byte, the roof is %2/s.',
          factor(intensity),
          bold(operations(roof))
        )
      : trans.__(
          'The program is compute-bound: at %1 operations per byte, the roof is %2/s.',
          factor(intensity),
          bold(operations(roof))
        );
  if (reached === null || part === null || warm === null) {
    const why =
      warm === null
        ? trans.__(
            'Time the program in the Time tab to compare its speed with the roof.'
          )
        : trans.__(
            'The speed of the program is unknown, because the number of its operations is unknown or depends on the data.'
          );
    return `${where} ${why}`;
  }
  const done = trans.__(
    'A warm call takes %1 and reaches %2/s, %3 of the roof.',
    duration(warm.median),
    operations(reached),
    bold(percent(part))
  );
  if (part <= 1) {
    return `${where} ${done}`;
  }
  const over =
    bound === 'memory'
      ? trans.__(
          'The program is over the roof: XLA fuses equations, so fewer bytes move than the panel counted, and small arrays stay in caches.'
        )
      : trans.__(
          'The program is over the roof: XLA removes operations of the jaxpr, or the program uses another dtype or more devices than the measurement.'
        );
  return `${where} ${done} ${over}`;
}

function Picture(props: {
  machine: Machine;
  placement: IPlacement | null;
  trans: TranslationBundle;
}): JSX.Element {
  const { machine, placement, trans } = props;
  const [place, measured] = useWidth();
  const width = Math.min(measured, WIDEST);
  const frame = { left: 44, right: width - 18, top: 24, bottom: HEIGHT - 34 };
  const { x, y, roof, ridge } = rooflineOf(machine, placement, frame);
  const label = trans.__(
    'Roofline: memory limits the speed of a program with fewer than %1 operations per byte. Arithmetic limits the speed of a program with more operations per byte.',
    factor(machine.flops / machine.bandwidth)
  );
  const points = roof.map(point => point.map(at => at.toFixed(1)).join(','));
  const at = placement === null ? 0 : x.at(placement.intensity);
  const word = placement === null ? '' : `${factor(placement.intensity)} op/B`;
  const onRight = at < (frame.left + frame.right) / 2;
  return (
    <div ref={place} className="jp-JaxprCost-drawing">
      <svg
        role="img"
        aria-label={label}
        className="jp-JaxprCost-roofline"
        width={width}
        height={HEIGHT}
      >
        {y.ticks.map(exponent => {
          const up = y.at(10 ** exponent);
          return (
            <g key={exponent}>
              <line
                className="jp-mod-grid"
                x1={frame.left}
                x2={frame.right}
                y1={up}
                y2={up}
              />
              <text x={frame.left - 6} y={up + 4} textAnchor="end">
                {shortCount(10 ** exponent)}
              </text>
            </g>
          );
        })}
        {x.ticks.map(exponent => (
          <text
            key={exponent}
            x={x.at(10 ** exponent)}
            y={frame.bottom + 14}
            textAnchor="middle"
          >
            {factor(10 ** exponent)}
          </text>
        ))}
        <text
          x={(frame.left + frame.right) / 2}
          y={HEIGHT - 4}
          textAnchor="middle"
        >
          {trans.__('operations per byte')}
        </text>
        <text x={2} y={10}>
          {trans.__('op/s')}
        </text>
        <polyline className="jp-mod-roof" points={points.join(' ')} />
        <line
          className="jp-mod-ridge"
          x1={ridge[0]}
          x2={ridge[0]}
          y1={ridge[1]}
          y2={frame.bottom}
        />
        {placement !== null && (
          <>
            <line
              className="jp-mod-program"
              x1={at}
              x2={at}
              y1={y.at(placement.roof)}
              y2={frame.bottom}
            />
            {placement.reached !== null && (
              <circle
                className="jp-mod-program"
                cx={at}
                cy={y.at(placement.reached)}
                r={4.5}
              />
            )}
            <text
              className="jp-mod-program"
              x={onRight ? at + 6 : at - 6}
              y={frame.bottom - 6}
              textAnchor={onRight ? 'start' : 'end'}
            >
              {word}
            </text>
          </>
        )}
      </svg>
    </div>
  );
}
