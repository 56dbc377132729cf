/** Normalizes a statement's name: variants of a commit that write more have the name of the plain one. */
export const commitName = (name: string): string =>
  name.replace(/_and_more$|(?<=^begin_payments)_of_customers$/, '');
