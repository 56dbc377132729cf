/** What the declines in a count have in common, in words. */
export const countedWords = {
  address: 'from one address',
  card: 'of one card',
  link: 'with one payment link',
  account: 'of this workspace',
} as const;
