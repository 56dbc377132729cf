/** The dashboard, which has the same origin, keeps its preferences in the same place. */
const prefix = 'till.';

/** A stored value; undefined where there is none or storage is not available. */
export function recall(name: string): unknown {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Remembers a value; where the browser forbids storage it is lost with the page. */
export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // The choice holds for this page only.
  }
}
