/** What this browser remembers of the dashboard's appearance. Nothing secret is ever written here. */
const prefix = 'till.';

/** The remembered value, or `fallback` where there is none or the browser forbids storage. */
export function recall<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

/** Remembers a value; where the browser forbids storage it is lost at reload and nothing else happens. */
export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // A private window without storage: the choice lasts until reload.
  }
}
