import type { CDPSession } from 'playwright-core';
import type { OpenPage } from './harness.ts';

interface AxValue {
  readonly value?: unknown;
}

/** A node of the accessibility tree in the format of the DevTools protocol. */
interface AxNode {
  readonly role?: AxValue;
  readonly name?: AxValue;
  readonly description?: AxValue;
  readonly properties?: readonly { readonly name: string; readonly value: AxValue }[];
}

/** The names of roles in the protocol, if the browser's own name differs. */
const roleWords: Readonly<Record<string, string>> = {
  DisclosureTriangle: 'disclosure',
  textbox: 'edit',
  combobox: 'list box',
  MenuListPopup: 'list box',
};

const statesOf = ({ properties = [] }: AxNode): string[] => {
  const values = new Map(properties.map(({ name, value }) => [name, value.value]));
  return [
    ...(values.has('level') ? [`level ${String(values.get('level'))}`] : []),
    ...(values.get('expanded') === true ? ['expanded'] : []),
    ...(values.get('expanded') === false ? ['collapsed'] : []),
    ...(values.get('required') === true ? ['required'] : []),
    ...(values.get('invalid') === 'true' ? ['invalid'] : []),
    ...(values.get('disabled') === true ? ['unavailable'] : []),
  ];
};

/** Text on one line, without ids, which differ between runs. */
const wordsOf = (text: unknown) =>
  (typeof text === 'string' ? text : '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\b(req|pay|key)_[0-9a-z]{24}\b/g, '$1_…')
    .trim();

/**
 * Role, name, states and description, in the words of the protocol.
 * @param content the text of a live region, which is read completely
 */
function inWords(node: AxNode, content: string): string {
  const role = wordsOf(node.role?.value);
  const name = content || wordsOf(node.name?.value);
  const description = wordsOf(node.description?.value);
  const said = [`${roleWords[role] ?? role} “${name}”`, ...statesOf(node)].join(', ');
  return description === '' || description === name ? said : `${said}: ${description}`;
}

/** Records step by step what the accessibility tree gives a screen reader to announce. */
export interface ScreenReader {
  readonly announced: string[];
  /** Records the title of the page, which is announced when it loads or changes. */
  readonly title: () => Promise<void>;
  /** Records the focused element. */
  readonly focus: () => Promise<void>;
  /** Records the first element that matches, such as a heading to jump to, a live region or a dialog. */
  readonly at: (selector: string) => Promise<void>;
  /** Presses a key and records the focused element, or the element that is announced by itself. */
  readonly press: (key: string, byItself?: string) => Promise<void>;
}

export async function listen({ page, context }: OpenPage): Promise<ScreenReader> {
  const announced: string[] = [];
  const session: CDPSession = await context.newCDPSession(page);
  await session.send('Accessibility.enable');
  const note = async (expression: string, live = false) => {
    const { result } = await session.send('Runtime.evaluate', { expression });
    const { objectId } = result;
    if (objectId === undefined) throw new Error(`nothing is there: ${expression}`);
    const { nodes } = await session.send('Accessibility.getPartialAXTree', {
      objectId,
      fetchRelatives: false,
    });
    const content = live ? await page.evaluate<string>(`${expression}.innerText`) : '';
    announced.push(inWords(nodes[0] ?? {}, wordsOf(content)));
  };
  const focus = () => note('document.activeElement');
  const at = (selector: string) =>
    note(`document.querySelector(${JSON.stringify(selector)})`, /alert|status/.test(selector));
  return {
    announced,
    focus,
    at,
    title: async () => {
      announced.push(`page “${await page.title()}”`);
    },
    press: async (key, byItself) => {
      await page.keyboard.press(key);
      await (byItself === undefined ? focus() : at(byItself));
    },
  };
}
