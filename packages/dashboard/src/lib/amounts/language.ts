const defaultLanguage = 'en-GB';

/**
 * The canonical form of a language tag, or the default for an invalid tag. A browser may report one (`en-US@posix`),
 * which every formatter of amounts and times rejects.
 */
export function languageOf(named: string): string {
  try {
    return Intl.getCanonicalLocales(named)[0] ?? defaultLanguage;
  } catch {
    return defaultLanguage;
  }
}

/** The browser's language, used to format amounts. */
export const language = (): string =>
  typeof navigator === 'undefined' ? defaultLanguage : languageOf(navigator.language);

/**
 * The browser's language if it is a kind of English, otherwise the default. The pages are in English; the order of day
 * and month follows the reader.
 */
export const english = (): string => (language().startsWith('en') ? language() : defaultLanguage);
