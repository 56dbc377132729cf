/** What is open of a merchant account, as SQL of its number. @param own SQL for whether a row of an alias is its own */
export const openRefunds = (own: (alias: string) => string) => ({
  refunds_pending: `(select count(*) from refunds r where r.tenant = $1 and ${own('r')} and r.status = 'pending')`,
});
