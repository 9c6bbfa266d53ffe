/** Tests the buttons in the toolbars of notebooks and cells, and that no button stays in memory after its toolbar. */
import { JupyterFrontEnd } from '@jupyterlab/application';
import {
  ToolbarWidgetRegistry,
  createDefaultFactory
} from '@jupyterlab/apputils';
import { Toolbar } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Panel, Widget } from '@lumino/widgets';

import { jaxprIcon } from '../../parts/panel-icon';
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

/** Adds a button to the toolbar, and returns the button when it is drawn. */
async function button(
  kind: 'Notebook' | 'Cell',
  name: keyof typeof NAMES
): Promise<Widget> {
  const made = toolbars.createWidget(kind, panel, {
    name,
    command: NAMES[name]
  });
  panel.toolbar.addItem(name, made);
  await drawn(made);
  return made;
}

/** The markup of a node without what the toolbar writes for its arrow keys. */
function markup(node: Element): string {
  const copy = node.cloneNode(true) as Element;
  const button = copy.querySelector('jp-button');
  button?.removeAttribute('tabindex');
  button?.removeAttribute('current-value');
  return new XMLSerializer().serializeToString(copy);
}

/** Waits until React has drawn a button with its icon and FAST has given it its appearance. */
async function drawn({ node }: Widget): Promise<void> {
  const isDrawn = (): boolean =>
    node.querySelector('jp-button[appearance] svg') !== null;
  while (!isDrawn()) {
    await new Promise(resolve => setTimeout(resolve));
  }
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
    await drawn(other);
    other.node.dataset.jpItemName = name;
    expect(node.querySelector('jp-button')).not.toBeNull();
    expect(markup(node)).toBe(markup(other.node));
  });

  it('is drawn again where the toolbar moves it', async () => {
    const made = await button('Notebook', 'jaxpr');
    made.parent = null;
    expect(made.node.childElementCount).toBe(0);
    panel.toolbar.addItem('again', made);
    await drawn(made);
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
