import { recall, remember } from './storage.ts';
import { createStore, type Store } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'comfortable' | 'compact';

/** The choices that a person made for this browser. */
export interface Preferences {
  readonly theme: Theme;
  readonly density: Density;
  /** Whether single-letter shortcuts are on; some assistive technology types letters by itself (WCAG 2.1.4). */
  readonly letterKeys: boolean;
}

const defaults: Preferences = { theme: 'system', density: 'comfortable', letterKeys: true };

export const preferences: Store<Preferences> = createStore({
  ...defaults,
  ...recall<Partial<Preferences>>('preferences', {}),
});

/** Sets theme and density as attributes of the document, which the style sheet reads. */
export function applyPreferences(root: HTMLElement): void {
  const { theme, density } = preferences.get();
  root.dataset.theme = theme;
  root.dataset.density = density;
}

/** Changes some of the preferences, stores them and applies them at once. */
export function choose(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  remember('preferences', preferences.get());
  applyPreferences(document.documentElement);
}
