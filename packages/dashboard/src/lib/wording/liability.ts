import type { Tone } from './status.ts';

export interface LiabilityText {
  readonly word: string;
  readonly tone: Tone;
  readonly meaning: string;
}

/** Explains a reported `liability_shift`. Undefined means that nothing was reported. */
export function liabilityText(reported: string | undefined): LiabilityText {
  switch (reported) {
    case 'POSSIBLE':
    case 'YES':
      return {
        word: 'Liability shifted',
        tone: 'good',
        meaning: 'If the buyer disputes the payment as fraud, the loss usually lies with the issuer.',
      };
    case 'NO':
      return {
        word: 'Liability not shifted',
        tone: 'warn',
        meaning: 'If the buyer disputes the payment as fraud, the loss lies with you.',
      };
    case undefined:
      return {
        word: 'No result',
        tone: 'neutral',
        meaning: 'No 3-D Secure result was reported. Treat the liability as not shifted.',
      };
    default:
      return {
        word: 'Liability unknown',
        tone: 'warn',
        meaning: 'The processor could not say. Treat the liability as not shifted.',
      };
  }
}

const letters: Readonly<Record<string, string>> = {
  Y: 'yes',
  N: 'no',
  U: 'could not be performed',
  A: 'attempted',
  R: 'rejected',
  C: 'challenge required',
  I: 'information only',
};

/** A status letter of the directory server with its meaning, e.g. `Y (yes)`. */
export const directoryLetter = (letter: string): string =>
  letters[letter] === undefined ? letter : `${letter} (${letters[letter]})`;
