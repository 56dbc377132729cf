const usual = 'en-GB';

/** A browser may name a language that is no valid tag (`en-US@posix`), which every formatter of amounts and times refuses. */
export function languageOf(named: string): string {
  try {
    return Intl.getCanonicalLocales(named)[0] ?? usual;
  } catch {
    return usual;
  }
}

/** The browser's language, for amounts. */
export const language = (): string =>
  typeof navigator === 'undefined' ? usual : languageOf(navigator.language);

/** The browser's English, or else ours: the pages are in English, the order of day and month follows the reader. */
export const english = (): string => (language().startsWith('en') ? language() : usual);
