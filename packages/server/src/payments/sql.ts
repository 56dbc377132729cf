/** SQL that joins the payment of a row, as `p`. @param of the row, with `tenant` @param id SQL of the payment's id */
export const joinPayment = (of: string, id = `${of}.payment_id`): string =>
  `join payments p on p.tenant = ${of}.tenant and p.id = ${id}`;

/** What is open of a merchant account, each kind as SQL of its number. @param own SQL for whether a row of an alias is its own */
export const openPayments = (own: (alias: string) => string) => ({
  holds: `(select count(*) from payments p where p.tenant = $1 and ${own('p')} and p.status = 'authorized')`,
  payments_waiting_for_the_buyer: `(select count(*) from payments p where p.tenant = $1 and ${own('p')} and p.status = 'requires_action')`,
  payments_in_doubt: `(select count(*) from operations o ${joinPayment('o', 'o.subject')}
    where o.tenant = $1 and ${own('p')})`,
});
