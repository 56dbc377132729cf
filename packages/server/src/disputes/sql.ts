/** What is open of a merchant account, as SQL of its number. @param own SQL for whether a row of an alias is its own */
export const openDisputes = (own: (alias: string) => string) => ({
  disputes_open: `(select count(*) from disputes d
    where d.tenant = $1 and ${own('d')} and d.status in ('new', 'action_required', 'challenged'))`,
});

/** SQL of the ids of the disputes that cover a part of a payment, oldest first. @param payment SQL of its id; `$1` is the tenant */
export const disputesCovering = (payment: string): string => `array(
  select d.id from disputes d where d.tenant = $1 and d.payment_id = ${payment} and disputed_part(d) > 0 order by d.seq)`;
