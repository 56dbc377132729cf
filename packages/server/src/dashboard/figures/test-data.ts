import { randomBytes } from 'node:crypto';
import { newId } from '../../lib/ids.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

export interface PaymentOptions {
  readonly at: Date;
  readonly amount?: number;
  readonly currency?: string;
  readonly failureCode?: string;
  readonly status: 'requires_action' | 'authorized' | 'succeeded' | 'failed' | 'voided';
  readonly reference?: string;
  readonly authorizationExpires?: Date;
}

/** Writes rows with their events, as the features' own statements do. */
export class TestData {
  readonly #db: Database;
  readonly #tenant: Tenant;

  constructor(db: Database, tenant: Tenant) {
    this.#db = db;
    this.#tenant = tenant;
  }

  async #next(list: string): Promise<number> {
    const [row] = await this.#db.query<{ last: number }>({
      text: `insert into counters as c (tenant, list, last) values ($1, $2, 1)
             on conflict (tenant, list) do update set last = c.last + 1 returning last`,
      values: [this.#tenant.tenant, list],
      scope: 'everybody',
    });
    return row?.last ?? 0;
  }

  async #writeEvent(object: string, type: string, at: Date, body: object = {}): Promise<void> {
    await this.#db.query({
      text: `insert into events (tenant, id, seq, type, object_id, sequence, object, created_at)
             select $1, $2, $3, $4, $5, 1 + count(*), $6, $7 from events
             where tenant = $1 and object_id = $5`,
      values: [
        this.#tenant.tenant,
        newId('evt', at, randomBytes),
        await this.#next('events'),
        type,
        object,
        JSON.stringify(body),
        at,
      ],
      scope: 'everybody',
    });
  }

  async pay(options: PaymentOptions): Promise<string> {
    const id = newId('pay', options.at, randomBytes);
    await this.#db.query({
      text: `insert into payments (tenant, id, seq, status, version, event_count, amount, currency,
               capture_method, method_type, brand, last4, failure_code, request, created_at, reference,
               authorization_expires)
             values ($1, $2, $3, $4, 1, 1, $5, $6, 'automatic', 'card', 'visa', '1111', $7, '{}', $8, $9, $10)`,
      values: [
        this.#tenant.tenant,
        id,
        await this.#next('payments'),
        options.status,
        options.amount ?? 4990,
        options.currency ?? 'EUR',
        options.status === 'failed' ? (options.failureCode ?? 'refused') : null,
        options.at,
        options.reference ?? null,
        options.authorizationExpires ?? null,
      ],
      scope: 'everybody',
    });
    await this.#writeEvent(id, `payment.${options.status}`, options.at);
    return id;
  }

  async move(id: string, { status, at, failureCode }: PaymentOptions): Promise<void> {
    await this.#db.query({
      text: 'update payments set status = $3, failure_code = $4 where tenant = $1 and id = $2',
      values: [this.#tenant.tenant, id, status, status === 'failed' ? (failureCode ?? 'refused') : null],
      scope: 'everybody',
    });
    await this.#writeEvent(id, `payment.${status}`, at);
  }

  async refund(payment: string, options: { readonly at: Date; readonly amount: number }): Promise<string> {
    const id = newId('re', options.at, randomBytes);
    await this.#db.query({
      text: `insert into refunds (tenant, id, seq, payment_id, amount, currency, status, metadata,
               version, event_count, created_at)
             select tenant, $2, $3, id, $4, currency, 'pending', '{}', 1, 0, $5
             from payments where tenant = $1 and id = $6`,
      values: [this.#tenant.tenant, id, await this.#next('refunds'), options.amount, options.at, payment],
      scope: 'everybody',
    });
    return id;
  }

  async settleRefund(id: string, status: 'succeeded' | 'failed', at: Date): Promise<void> {
    await this.#db.query({
      text: `update refunds set status = $3, failure_code = $4
             where tenant = $1 and id = $2`,
      values: [this.#tenant.tenant, id, status, status === 'failed' ? 'refused' : null],
      scope: 'everybody',
    });
    await this.#writeEvent(id, `refund.${status}`, at);
  }

  async dispute(
    payment: string,
    options: {
      readonly at: Date;
      readonly state?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly amount?: number;
      readonly respondBy?: Date;
    },
  ): Promise<string> {
    const id = newId('dsp', options.at, randomBytes);
    const { state = 'chargeback', status = 'action_required', reason = 'fraudulent' } = options;
    await this.#db.query({
      text: `insert into disputes (tenant, id, seq, payment_id, amount, state, status, reason,
               respond_by, upstream_id, version, event_count, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $2, 1, 1, $10)`,
      values: [
        this.#tenant.tenant,
        id,
        await this.#next('disputes'),
        payment,
        options.amount ?? null,
        state,
        status,
        reason,
        options.respondBy ?? null,
        options.at,
      ],
      scope: 'everybody',
    });
    await this.#writeEvent(id, 'dispute.created', options.at, { state, status, respond_by: null });
    return id;
  }

  /** Logs a request of an API key. */
  async request(at: Date, durationMs: number): Promise<void> {
    await this.#db.query({
      text: `insert into request_logs (tenant, seq, id, at, method, route, path, status, duration_ms,
               key_id, ip, replayed, request_bytes, answer_bytes)
             values ($1, $2, $3, $4, 'GET', '/x', '/x', 200, $5, 'key_1', '203.0.113.7', false, 0, 0)`,
      values: [
        this.#tenant.tenant,
        await this.#next('request_logs'),
        newId('req', at, randomBytes),
        at,
        durationMs,
      ],
      scope: 'everybody',
    });
  }

  /** Adds an endpoint that would get events. */
  async endpoint(at: Date, url = 'https://shop.example/hooks', name: string | null = null): Promise<string> {
    const id = newId('we', at, randomBytes);
    await this.#db.query({
      text: `insert into webhook_endpoints (account_id, id, url, secret, key_version, additional_events, status,
               created_at, name)
             values ($1, $2, $3, '', 1, false, 'active', $4, $5)`,
      values: [this.#tenant.accountId, id, url, at, name],
      scope: { accountId: this.#tenant.accountId },
    });
    return id;
  }

  /** Records an attempt to deliver to an endpoint. */
  async attempt(endpoint: string, at: Date, number: number, answerStatus: number | null): Promise<void> {
    await this.#db.query({
      text: `insert into delivery_attempts (account_id, endpoint_id, delivery_id, number, tenant, event_id, url,
               request_headers, answer_status, duration_ms, at, account_at)
             values ($1, $2, $3, $4, $5, 'evt_1', 'https://shop.example/hooks', '{}', $6, 10, $7, $7)`,
      values: [
        this.#tenant.accountId,
        endpoint,
        newId('dlv', at, randomBytes),
        number,
        this.#tenant.tenant,
        answerStatus,
        at,
      ],
      scope: { accountId: this.#tenant.accountId },
    });
  }
}
