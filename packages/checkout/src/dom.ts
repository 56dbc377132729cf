/** The element with this id; undefined if the page has none. */
export function find<T extends HTMLElement>(id: string, type: new () => T): T | undefined {
  const element = document.getElementById(id);
  return element instanceof type ? element : undefined;
}

/** A text or URL that the server wrote into a `data-` attribute of the element. */
export const dataOf = (element: HTMLElement, name: string): string => element.dataset[name] ?? '';

/** Seconds since the page loaded, by a monotonic clock. */
export const elapsedSeconds = (): number => performance.now() / 1000;

export const after = (seconds: number, work: () => void): void => {
  setTimeout(work, seconds * 1000);
};

/** Writes a text into the status line of the page, which screen readers announce. */
export function announce(text: string): void {
  const status = find('status', HTMLElement);
  if (status !== undefined) status.textContent = text;
}
