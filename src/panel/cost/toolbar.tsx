/** The controls of the cost table: grouping, heat, copy. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Measure } from '../../model/cost-shares';
import { Costs } from '../../model/costs';
import { CopyTable } from '../../parts/copy-table';
import { useRoving } from '../../parts/arrow-key-focus';
import { costMarkdown, costText } from './copied-costs';
import { CostReading, GROUPS, Group, Order } from './cost-rows';
import { groupName } from './words';

export function Toolbar(props: {
  costs: Costs;
  reading: CostReading;
  group: Group;
  setGroup: (group: Group) => void;
  order: Order;
  measure: Measure;
  trans: TranslationBundle;
}): JSX.Element {
  const { costs, reading, group, setGroup, order, measure, trans } = props;
  const { row, stop } = useRoving();
  const groups = GROUPS.filter(group => reading.has(group));
  const after = groups.length;
  return (
    <div
      className="jp-JaxprCost-tools"
      role="toolbar"
      aria-label={trans.__('Cost table')}
      {...row}
    >
      <div
        className="jp-JaxprCost-groups"
        role="group"
        aria-label={trans.__('Sum the cost by')}
      >
        {groups.map((shownGroup, place) => (
          <button
            key={shownGroup}
            {...stop(place)}
            aria-pressed={shownGroup === group}
            onClick={() => setGroup(shownGroup)}
          >
            {groupName(shownGroup, trans)}
          </button>
        ))}
      </div>
      <span className="jp-JaxprCost-space" />
      <button
        {...stop(after)}
        className="jp-JaxprPanel-button jp-JaxprCost-heatButton"
        aria-pressed={costs.heat}
        title={trans.__(
          'Show the cost beside the lines of the cell and the equations of the program'
        )}
        onClick={() => {
          costs.heat = !costs.heat;
        }}
      >
        {trans.__('Heat')}
      </button>
      <CopyTable
        text={() => costText(reading, group, order, measure, trans)}
        markdown={() => costMarkdown(reading, group, order, measure, trans)}
        markdownClass="jp-JaxprCost-markdown"
        stops={[stop(after + 1), stop(after + 2)]}
        trans={trans}
      />
    </div>
  );
}
