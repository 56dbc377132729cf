/** Creates an element with attributes and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** Announces an event to screen readers. */
export function announce(words: string): void {
  let region = document.querySelector<HTMLElement>('#announcer');
  if (region === null) {
    region = element('div', { id: 'announcer', role: 'status', class: 'unseen' });
    document.body.append(region);
  }
  region.textContent = words;
}
