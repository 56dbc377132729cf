/** What a count of declines is of, for people. */
export const countedWords = {
  address: 'from one address',
  card: 'of one card',
  link: 'with one payment link',
  account: 'of this workspace',
} as const;
