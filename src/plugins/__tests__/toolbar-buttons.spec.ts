/** The buttons in the toolbars of notebooks and cells, and what is left of them when the toolbar is gone. */
import { JupyterFrontEnd } from '@jupyterlab/application';
import {
  ToolbarWidgetRegistry,
  createDefaultFactory
} from '@jupyterlab/apputils';
import { Toolbar } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Panel, Widget } from '@lumino/widgets';

import { jaxprIcon } from '../../parts/icon';
import { toolbarButtonsPlugin } from '../toolbar-buttons';

const NAMES = {
  jaxpr: 'jupyter-jaxpr:toggle-panel',
  'jaxpr-types': 'jupyter-jaxpr:toggle-types',
  'jaxpr-run': 'jupyter-jaxpr:run-cell'
};

let commands: CommandRegistry;
let toolbars: ToolbarWidgetRegistry;
let panel: Panel & { toolbar: Toolbar };

beforeEach(() => {
  commands = new CommandRegistry();
  for (const id of Object.values(NAMES)) {
    const title = `${id} does it`;
    commands.addCommand(id, {
      execute: () => ran(id),
      label: id,
      icon: jaxprIcon,
      caption: title,
      describedBy: { args: { type: 'object', properties: {} } }
    });
  }
  const defaultFactory = createDefaultFactory(commands);
  toolbars = new ToolbarWidgetRegistry({ defaultFactory });
  void toolbarButtonsPlugin.activate(
    { commands } as unknown as JupyterFrontEnd,
    toolbars
  );
  panel = Object.assign(new Panel(), { toolbar: new Toolbar() });
  panel.addWidget(panel.toolbar);
  Widget.attach(panel, document.body);
});
afterEach(() => panel.dispose());

const ran = jest.fn();

/** The button of a toolbar, drawn. */
async function button(
  kind: 'Notebook' | 'Cell',
  name: keyof typeof NAMES
): Promise<Widget> {
  const made = toolbars.createWidget(kind, panel, {
    name,
    command: NAMES[name]
  });
  panel.toolbar.addItem(name, made);
  await drawn();
  return made;
}

/** A copy without what the toolbar writes for its arrow keys. */
function withoutFocus(node: Element): Node {
  const copy = node.cloneNode(true) as Element;
  const button = copy.querySelector('jp-button');
  button?.removeAttribute('tabindex');
  button?.removeAttribute('current-value');
  return copy;
}

function drawn(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 50));
}

describe('a button in a toolbar', () => {
  it.each<['Notebook' | 'Cell', keyof typeof NAMES]>([
    ['Notebook', 'jaxpr'],
    ['Notebook', 'jaxpr-types'],
    ['Cell', 'jaxpr-run']
  ])('of a %s, %s, is as JupyterLab would make it', async (kind, name) => {
    const { node } = await button(kind, name);
    const other = new ToolbarWidgetRegistry({
      defaultFactory: createDefaultFactory(commands)
    }).createWidget(kind, panel, { name, command: NAMES[name] });
    panel.toolbar.addItem('other', other);
    await drawn();
    other.node.dataset.jpItemName = name;
    expect(node.querySelector('jp-button')).not.toBeNull();
    expect(withoutFocus(node).isEqualNode(withoutFocus(other.node))).toBe(true);
  });

  it('is drawn again where the toolbar moves it', async () => {
    const made = await button('Notebook', 'jaxpr');
    made.parent = null;
    expect(made.node.childElementCount).toBe(0);
    panel.toolbar.addItem('again', made);
    await drawn();
    expect(
      made.node.querySelector('jp-button')?.getAttribute('appearance')
    ).toBe('stealth');
  });

  it('leaves the toolbar of a closed notebook', async () => {
    const { node } = await button('Notebook', 'jaxpr');
    const element = node.querySelector('jp-button');
    const { node: toolbar } = panel.toolbar;
    const another = document.createElement('button');
    toolbar.append(another);
    const arrowKeys = { focusableElements: [element, another] };
    Object.assign(toolbar, arrowKeys);
    panel.dispose();
    expect(element?.hasAttribute('appearance')).toBe(false);
    expect(toolbar.contains(node)).toBe(false);
    const { focusableElements } = toolbar as Partial<typeof arrowKeys>;
    expect(focusableElements?.length).toBe(1);
    expect(focusableElements?.[0]).toBe(another);
  });
});
