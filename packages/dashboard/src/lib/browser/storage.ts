/** Settings of the dashboard that this browser remembers. Nothing secret is ever stored here. */
const prefix = 'till.';

/** The stored value, or `fallback` if there is none or the browser forbids storage. */
export function recall<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

/** Stores a value. If the browser forbids storage, the value is lost at the next reload, without any other effect. */
export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // A private window without storage: the value lasts until the next reload.
  }
}
