const incomingFrom = (before: string): string => `
  select request.* from ${before}json_to_recordset($1::json) as request (
    merchant_account text, idempotency_key text, psp_reference text, at timestamptz, status integer, body text,
    reference text, amount bigint, currency text, charge_status text,
    brand text, bin text, last4 text, expiry_month smallint, expiry_year smallint, received jsonb,
    challenge_id text, challenge jsonb, token text, shopper text, instrument jsonb,
    refund_reference text, payment_reference text, upstream_id text, notifications json
  )`;

/**
 * The CTE with the rows of `$1`.
 * @param waits whether the commit waits for the disk
 */
const incomingRows = (waits: boolean): string =>
  waits
    ? `incoming as (${incomingFrom('')})`
    : `async_commit as (select set_config('synchronous_commit', 'off', true)),
  incoming as (${incomingFrom('async_commit cross join ')})`;

// A key is valid for 7 days. A claim without a response expires after 12 seconds, longer than the slowest
// response takes, so that a crash does not block its key for ever.
// Rows are written in key order, so that two overlapping runs wait for each other instead of deadlocking.
// A run that is repeated after its commit finds its own pspReference and changes nothing.
const owning = (allowed: string): string => `
  insert into sandbox.requests as held
    (merchant_account, idempotency_key, psp_reference, started_at, status, body)
  select merchant_account, idempotency_key, psp_reference, at, status, body
  from incoming
  where idempotency_key is not null and ${allowed}
  order by merchant_account, idempotency_key
  on conflict (merchant_account, idempotency_key) do update
    set psp_reference = excluded.psp_reference, started_at = excluded.started_at,
        status = excluded.status, body = excluded.body
    where held.psp_reference = excluded.psp_reference
      or held.started_at <= excluded.started_at - interval '168 hours'
      or (held.status is null and held.started_at <= excluded.started_at - interval '12 seconds')
  returning psp_reference`;

const charging = (allowed: string): string => `
  insert into sandbox.charges
    (merchant_account, reference, psp_reference, amount, currency, status,
     brand, bin, last4, expiry_month, expiry_year, received, created_at)
  select merchant_account, reference, psp_reference, amount, currency, charge_status,
         brand, bin, last4, expiry_month, expiry_year, received, at
  from incoming
  where charge_status is not null and ${allowed}
  on conflict (merchant_account, reference, psp_reference) do nothing`;

const planning = (allowed: string): string => `
  insert into sandbox.notifications (processor, merchant_account, id, due_at, body, flaw)
  select n.processor, n."merchantAccount", n.id, n."dueAt", n.body, n.flaw
  from incoming cross join lateral json_to_recordset(notifications) as n
    (processor text, "merchantAccount" text, id text, "dueAt" timestamptz, body text, flaw text)
  where ${allowed}
  on conflict do nothing`;

// A card that is stored again keeps its token but gets the current holder name.
const storing = (allowed: string): string => `
  insert into sandbox.instruments as known (merchant_account, token, shopper, facts, created_at)
  select merchant_account, token, shopper, instrument, at
  from incoming
  where token is not null and ${allowed}
  on conflict (merchant_account, token) do update set facts = excluded.facts, removed_at = null`;

/**
 * How a capture or an adjustment changes the charge of a hold. A capture of more than the held amount changes
 * nothing.
 */
const holdChanges = {
  capture: { set: `status = 'captured', amount = i.amount`, allowed: 'and c.amount >= i.amount' },
  adjust: {
    set: `amount = i.amount, received = jsonb_set(c.received, '{amount}', i.received)`,
    allowed: '',
  },
} as const;

const keyIsOwned = '(idempotency_key is null or psp_reference in (select psp_reference from owned))';

const stopChallengesSql = `
update sandbox.challenges set state = 'cancelled'
where merchant_account = $1 and (reference = $2 or psp_reference = $3) and state in ('open', 'answered')`;

/**
 * One statement for each operation, which writes key, effects and notifications atomically. `$1` holds the
 * rows as JSON. For changes of a hold, `$2` is the payment's pspReference. For a cancellation, `$2` and `$3`
 * name the payment, and `$4` lists the states of the charges that it ends. Each statement returns the
 * pspReferences of the rows that own their key.
 * @param waits whether the commits wait for the disk
 */
export function requestStatements(waits: boolean) {
  const rows = incomingRows(waits);
  // Locks the charge first, so that the second of two concurrent requests sees what the first one did.
  const changing = ({ set, allowed }: (typeof holdChanges)[keyof typeof holdChanges]): string => `
with ${rows}, held as (
  select c.psp_reference from sandbox.charges c join incoming i on c.merchant_account = i.merchant_account
  where c.psp_reference = $2 and c.status = 'authorized' ${allowed} for update of c
), owned as (${owning('exists (select from held)')}), granted as (
  select * from incoming where exists (select from held) and ${keyIsOwned}
), changed as (
  update sandbox.charges c set ${set} from granted i
  where c.merchant_account = i.merchant_account and c.psp_reference = $2
), planned as (${planning('exists (select from granted)')})
select psp_reference from granted`;
  return {
    capture: changing(holdChanges.capture),
    adjust: changing(holdChanges.adjust),
    settle: `
with ${rows}, owned as (${owning('true')}), charged as (${charging(keyIsOwned)}),
  planned as (${planning(keyIsOwned)})
select psp_reference from owned`,
    store: `
with ${rows}, owned as (${owning('true')}), charged as (${charging(keyIsOwned)}),
  planned as (${planning(keyIsOwned)}), stored as (${storing(keyIsOwned)})
select psp_reference from owned`,
    challenge: `
with ${rows}, owned as (${owning('true')}), challenged as (
  insert into sandbox.challenges (id, merchant_account, reference, psp_reference, state, payment, created_at)
  select challenge_id, merchant_account, reference, psp_reference, 'open', challenge, at
  from incoming
  where challenge_id is not null and ${keyIsOwned}
  on conflict (id) do nothing
), planned as (${planning(keyIsOwned)})
select psp_reference from owned`,
    // Locks the challenge's row first, so that only one of two concurrent requests completes it.
    complete: `
with ${rows}, answered as (
  select c.id from sandbox.challenges c join incoming i on c.id = i.challenge_id
  where c.state = 'answered' for update of c
), owned as (${owning('exists (select from answered)')}), granted as (
  select challenge_id from incoming where exists (select from answered) and ${keyIsOwned}
), completed as (
  update sandbox.challenges c set state = 'completed' from granted g where c.id = g.challenge_id
), charged as (${charging('exists (select from granted)')}),
  planned as (${planning('exists (select from granted)')}),
  stored as (${storing('exists (select from granted)')})
select challenge_id from granted`,
    stopChallenges: stopChallengesSql,
    cancel: `
with ${rows}, owned as (${owning('true')}), cancelled as (
  update sandbox.charges c set status = 'cancelled'
  from incoming i
  where c.merchant_account = i.merchant_account and (c.reference = $2 or c.psp_reference = $3)
    and c.status = any($4)
    and (i.idempotency_key is null or i.psp_reference in (select psp_reference from owned))
), planned as (${planning(keyIsOwned)})
select psp_reference from owned`,
    refund: `
with ${rows}, owned as (${owning('true')}), refunded as (
  insert into sandbox.refunds
    (merchant_account, reference, payment_reference, upstream_id, amount, currency, status, received, created_at)
  select merchant_account, refund_reference, payment_reference, upstream_id, amount, currency, 'pending', received, at
  from incoming
  where upstream_id is not null and ${keyIsOwned}
), planned as (${planning(keyIsOwned)})
select psp_reference from owned`,
  };
}
