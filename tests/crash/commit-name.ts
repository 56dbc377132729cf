/** The name of a statement; a commit that writes more than usual has the name of the usual one. */
export const commitName = (name: string): string =>
  name.replace(/_and_more$|(?<=^begin_payments)_of_customers$/, '');
