/**
 * CTEs that bring the next attempts of an account's test deliveries forward by as much as its clock moves: they are kept in
 * real time, while their gaps go by the account's clock (decisions, "Sandbox"). What is being attempted now is left alone,
 * since its next gap begins when the attempt ends.
 * @param source CTE of the moved account, with `account_id`
 * @param milliseconds parameter: how far the clock moves
 * @param now parameter: real time
 */
export const shiftDeliveries = (source: string, milliseconds: string, now: string): string =>
  `waiting_deliveries as materialized (
    select d.account_id, d.endpoint_id, d.id from ${source} s join deliveries d on d.account_id = s.account_id
    join tenants t on t.tenant = d.tenant and not t.livemode
    where d.state = 'pending' and d.next_attempt_at > ${now} and d.lease_until <= ${now}
    for update of d skip locked),
  deliveries_shifted as (
    update deliveries d set next_attempt_at = d.next_attempt_at - ${milliseconds} * interval '1 millisecond'
    from waiting_deliveries w
    where d.account_id = w.account_id and d.endpoint_id = w.endpoint_id and d.id = w.id)`;
