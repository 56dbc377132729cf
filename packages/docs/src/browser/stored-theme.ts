import { recall, remember } from './storage.ts';

/** `system` follows the setting of the operating system. */
export type Theme = 'system' | 'light' | 'dark';

/** Shared with the dashboard, so that one choice applies to both. */
const key = 'preferences';

function preferences(): Readonly<Record<string, unknown>> {
  const stored = recall(key);
  return typeof stored === 'object' && stored !== null ? { ...stored } : {};
}

export function storedTheme(): Theme {
  const { theme } = preferences();
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function storeTheme(theme: Theme): void {
  remember(key, { ...preferences(), theme });
}

/** Sets the attribute that the style sheet reads. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

/** Whether the page is currently dark. */
export function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
}
