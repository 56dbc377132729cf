/** The element with that id; undefined where this page has none. */
export function find<T extends HTMLElement>(id: string, type: new () => T): T | undefined {
  const element = document.getElementById(id);
  return element instanceof type ? element : undefined;
}

/** A text or address that the server put into the element's `data-` attribute. */
export const dataOf = (element: HTMLElement, name: string): string => element.dataset[name] ?? '';

/** Seconds since the page loaded, by a monotonic clock. */
export const elapsedSeconds = (): number => performance.now() / 1000;

export const after = (seconds: number, work: () => void): void => {
  setTimeout(work, seconds * 1000);
};

/** Says something in the page's status line, which screen readers announce. */
export function announce(text: string): void {
  const status = find('status', HTMLElement);
  if (status !== undefined) status.textContent = text;
}
