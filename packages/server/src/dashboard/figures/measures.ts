import { unfinishedCodes } from '@till/contract/dashboard';
import { joinPayment } from '../../payments/sql.ts';

/**
 * The measures, by what they are counted from; each has one kind of label. A payment counts under one measure at a time, by
 * the quarter hour of its creation. Requests and webhook attempts count by the hour in which they began.
 */
export const measures = {
  // By currency. Held: authorized or voided, so the issuer agreed. Unfinished: failed because the buyer never finished it.
  payments: ['payments_succeeded', 'payments_held', 'payments_declined', 'payments_unfinished'],
  // Declined payments by failure code, in all currencies.
  declines: ['declines'],
  // Succeeded refunds by currency and by the quarter hour of the refund, or of its payment.
  refunds: ['refunds', 'refunds_by_payment'],
  // Requests by their duration: see `stepMs`.
  requests: ['requests'],
  // Attempts by endpoint. A retry is every attempt after a delivery's first.
  attempts: ['attempts_succeeded', 'attempts_failed', 'retries_succeeded', 'retries_failed'],
} as const;
export type Measure = (typeof measures)[keyof typeof measures][number];

const quarterOf = (time: string) => `date_bin('15 minutes', ${time}, timestamptz '2000-01-01 00:00:00Z')`;
const hourOf = (time: string) => `date_trunc('hour', ${time}, 'UTC')`;

/**
 * About how many milliseconds the requests of a duration step took. Each step is 10 % longer than the one before. Exact for
 * the shortest.
 */
export const stepMs = (step: number): number => Math.round(1.1 ** (step - 0.5));
const stepOf = (ms: string) => `case when ${ms} <= 1 then 0 else ceil(ln(${ms}) / ln(1.1))::int end`;

const unfinished = unfinishedCodes.map((code) => `'${code}'`).join(', ');

/**
 * SQL of what payments contribute.
 * @param payments rows of the table with `new_status` and `n`, which is how often the row counts
 */
export const ofPayments = (payments: string): string => `
  select p.tenant, k.measure, ${quarterOf('p.created_at')} as at, k.label, p.n as count, p.n * k.amount as amount
  from (${payments}) p cross join lateral (values
    (case
      when p.new_status = 'succeeded' then 'payments_succeeded'
      when p.new_status in ('authorized', 'voided') then 'payments_held'
      when p.new_status = 'failed' and p.failure_code in (${unfinished}) then 'payments_unfinished'
      when p.new_status = 'failed' and p.failure_code not in (${unfinished}) then 'payments_declined' end,
      p.currency, case when p.new_status = 'succeeded' then p.amount else 0 end),
    (case when p.new_status = 'failed' and p.failure_code not in (${unfinished}) then 'declines' end,
      p.failure_code, 0)) as k (measure, label, amount)
  where k.measure is not null`;

/** SQL of what succeeded refunds contribute. @param refunds rows of the table with `n`, which is how often the row counts */
export const ofRefunds = (refunds: string): string => `
  select r.tenant, k.measure, ${quarterOf('k.at')} as at, r.currency as label, r.n as count, r.n * r.amount as amount
  from (${refunds}) r ${joinPayment('r')}
  cross join lateral (values ('refunds', r.created_at), ('refunds_by_payment', p.created_at)) as k (measure, at)`;

/** SQL of what logged requests contribute. @param requests rows of the log */
export const ofRequests = (requests: string): string => `
  select tenant, 'requests' as measure, ${hourOf('at')} as at, (${stepOf('duration_ms')})::text as label,
    1 as count, 0 as amount
  from (${requests}) r`;

/** SQL of what webhook attempts contribute. @param attempts rows of the table */
export const ofAttempts = (attempts: string): string => `
  select tenant, case when number = 1 then 'attempts' else 'retries' end
      || case when answer_status between 200 and 299 then '_succeeded' else '_failed' end as measure,
    ${hourOf('at')} as at, endpoint_id as label, 1::bigint as count, 0::bigint as amount
  from (${attempts}) a`;

/**
 * SQL that adds the rows of the functions above to the figures. In the order of the key, so that rows that are read
 * together are stored together.
 */
export const addToFigures = (rows: string): string => `
  insert into figures as f (tenant, measure, at, label, count, amount)
  select tenant, measure, at, label, sum(count), sum(amount) from (${rows}) r
  group by tenant, measure, at, label having sum(count) <> 0 or sum(amount) <> 0
  order by tenant, measure, at, label
  on conflict (tenant, measure, at, label)
  do update set count = f.count + excluded.count, amount = f.amount + excluded.amount`;
