/** The key that is held for a command on the reader's keyboard, as it is written on it. */
export const commandKey = (): string =>
  typeof navigator !== 'undefined' && /Macintosh|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
