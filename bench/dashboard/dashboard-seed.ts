import type pg from 'pg';

/** Encodes a number in base 36: ids begin with their time in base 36, as the server's ids do. */
const base36 = `create function pg_temp.base36(value bigint) returns text language plpgsql immutable as $$
  declare digits text := ''; rest bigint := value;
  begin
    while rest > 0 loop
      digits := substr('0123456789abcdefghijklmnopqrstuvwxyz', (rest % 36)::int + 1, 1) || digits;
      rest := rest / 36;
    end loop;
    return lpad(digits, 8, '0');
  end $$`;

const customerId = (n: string) =>
  `'cus_' || pg_temp.base36(1750000000000 + ${n} * 100000::bigint) || lpad((${n})::text, 16, '0')`;

const customers = `insert into customers (tenant, id, seq, email, email_folded, name, external_id, metadata,
    created_at)
  select $1, ${customerId('n')}, n, 'buyer' || n || '@example.com', 'buyer' || n || '@example.com',
    (array['Ada', 'Grace', 'Edsger', 'Alan', 'Barbara', 'Donald', 'Radia', 'Ken'])[1 + n % 8] || ' '
      || (array['Lovelace', 'Hopper', 'Dijkstra', 'Turing', 'Liskov', 'Knuth', 'Perlman', 'Smith', 'Müller'])[1 + n / 8 % 9]
      || n % 1000,
    'ext-' || n, case when n % 10 = 0 then json_build_object('crm', 'C' || n, 'plan', 'gold') else '{}' end,
    to_timestamp(1750000000 + n * 100)
  from generate_series(1, $2::int) n`;

/** One payment every 30 seconds from October 2025, with the usual statuses and payment methods of a shop. */
const payments = `insert into payments (tenant, id, seq, status, version, event_count, amount, currency,
    customer_id, reference, capture_method, method_type, brand, bin, last4, exp_month, exp_year, failure_code, upstream,
    request, authentication, created_at)
  select $1, 'pay_' || pg_temp.base36(1760000000000 + n * 30000::bigint) || lpad(n::text, 16, '0'), n, s.status, 2,
    1, 100 + n::bigint * 7919 % 50000, (array['EUR', 'EUR', 'EUR', 'USD', 'USD', 'GBP', 'JPY'])[1 + n % 7],
    case when n % 3 > 0 then ${customerId('(1 + n % $3)')} end, 'order-' || n,
    case when n % 50 = 0 then 'manual' else 'automatic' end, case when n % 5 = 0 then 'processor_b' else 'card' end,
    case when n % 5 > 0 then (array['visa', 'visa', 'visa', 'mastercard', 'mastercard', 'amex'])[1 + n % 6] end,
    case when n % 5 > 0 then '411111' end, case when n % 5 > 0 then lpad((n::bigint * 7 % 10000)::text, 4, '0') end, 3, 2030,
    case when s.status = 'failed'
      then (array['do_not_honor', 'insufficient_funds', 'expired_card', 'stolen_card', 'refused'])[1 + n % 5] end,
    json_build_object('order', 'ORD' || n, 'capture', 'CAP' || n),
    json_build_object('amount', 4990, 'currency', 'EUR', 'reference', 'order-' || n, 'success_url',
      'https://shop.example/ok', 'failure_url', 'https://shop.example/failed', 'payment_method',
      json_build_object('type', 'card', 'exp_month', 3, 'exp_year', 2030, 'holder_name', 'Jane Smith'), 'client',
      json_build_object('ip', '127.0.0.1', 'userAgent', null, 'accept', null)),
    'never', to_timestamp(1760000000 + n * 30)
  from generate_series(1, $2::int) n
  cross join lateral (
    select case when n % 1000 = 0 then 'voided' when n % 100 = 7 then 'authorized' when n % 12 = 0 then 'failed'
      when n % 5000 = 1 then 'requires_action' else 'succeeded' end as status) s`;

const counters = `insert into counters (tenant, list, last)
  values ($1, 'payments', $2), ($1, 'customers', $3)`;

/**
 * Fills an empty account in test mode with payments, and with a fifth as many customers.
 * @returns its tenant number
 */
export async function seedPayments(db: pg.Client, accountId: string, rows: number): Promise<number> {
  const buyers = Math.ceil(rows / 5);
  await db.query(base36);
  const { rows: found } = await db.query<{ tenant: number }>(
    'select tenant from tenants where account_id = $1 and not livemode',
    [accountId],
  );
  const tenant = found[0]?.tenant ?? 0;
  await db.query(customers, [tenant, buyers]);
  // Each payment looks up its customer. The planner uses the index only if it knows how many customers there are.
  await db.query('analyze customers');
  await db.query(payments, [tenant, rows, buyers]);
  await db.query(counters, [tenant, rows, buyers]);
  await db.query('vacuum analyze');
  return tenant;
}
