/** The dashboard has the same origin and stores its preferences under the same prefix. */
const prefix = 'till.';

/** A stored value; undefined if there is none or storage is not available. */
export function recall(name: string): unknown {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Stores a value. If the browser forbids storage, the value is lost with the page. */
export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // The choice lasts only for this page.
  }
}
