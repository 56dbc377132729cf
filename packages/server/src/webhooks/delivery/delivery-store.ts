import { Batcher } from '../../store/batcher.ts';
import { listOf, type RowOf } from '../../store/columns.ts';
import type { Database } from '../../store/database.ts';
import type { TenantId } from '../../store/tenant.ts';
import {
  claimHintedSql,
  claimSweepSql,
  type endedColumns,
  finishSql,
  recipientColumns,
} from './delivery-sql.ts';

/** A delivery that this process may attempt until its lease ends, with everything that the attempt needs. */
export interface ClaimedDelivery extends RowOf<typeof recipientColumns> {
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly id: string;
  readonly tenant: TenantId;
  readonly event_id: string;
  readonly body: string;
  /** Attempts begun, including this one unless an earlier one never ended. */
  readonly tries: number;
  /** Attempts ended since the event or the latest manual retry. */
  readonly attempts: number;
  /** Attempts that never ended, counted since the latest one that did. Any of them may have crashed its process. */
  readonly crashes: number;
}

/** How many deliveries one claim may take, and of which accounts and endpoints. */
export interface ClaimLimits {
  /** Real time. */
  readonly now: Date;
  readonly leaseUntil: Date;
  /**
   * If true, claims for endpoints that have failed since their last success or that this process knows to be slow; if
   * false, for all other endpoints.
   */
  readonly troubled: boolean;
  readonly max: number;
  /** The limit per endpoint, and the exceptions from it by endpoint id. */
  readonly perEndpoint: number;
  readonly endpointLimits: Readonly<Record<string, number>>;
  /** The limit per account, and the exceptions from it by account id. */
  readonly perAccount: number;
  readonly accountLimits: Readonly<Record<string, number>>;
  /** Ids of the endpoints that this process knows to be slow. */
  readonly slow: readonly string[];
}

/** The outcome of one attempt. */
export interface EndedAttempt {
  readonly delivery: ClaimedDelivery;
  readonly state: 'pending' | 'succeeded' | 'failed';
  /** Real time; null if the delivery is not attempted again. */
  readonly nextAttemptAt: Date | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly durationMs: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly status: number | null;
  readonly answerHeaders: Readonly<Record<string, string>> | null;
  readonly answerBody: string | null;
  readonly error: string | null;
}

/** A delivery is parked after this many attempts that ended their process. */
const maxCrashes = 5;

const claimValues = (limits: ClaimLimits) => [
  limits.now,
  limits.leaseUntil,
  limits.perEndpoint,
  JSON.stringify(limits.endpointLimits),
  JSON.stringify(Object.fromEntries(limits.slow.map((id) => [id, true]))),
  limits.troubled,
  limits.max,
  limits.perAccount,
  JSON.stringify(limits.accountLimits),
];

/** The SQL of sending. A process that claims a delivery holds a lease on it, and records how the attempt ended. */
export class DeliveryStore {
  readonly #db: Database;
  readonly #finish: Batcher<EndedAttempt, boolean>;

  constructor(db: Database) {
    this.#db = db;
    this.#finish = new Batcher<EndedAttempt, boolean>((rows) => this.#finishAll(rows));
  }

  /** Claims due deliveries of these accounts, in this order. */
  claimHinted(limits: ClaimLimits, accountIds: readonly string[]): Promise<ClaimedDelivery[]> {
    return this.#db.query<ClaimedDelivery>({
      name: 'claim_hinted_deliveries',
      byIndex: true,
      scope: 'everybody',
      text: claimHintedSql,
      values: [...claimValues(limits), accountIds],
    });
  }

  /** Claims due deliveries of any accounts, in the order of the account ids. @param after the account id to begin after */
  claimAny(limits: ClaimLimits, after: string): Promise<ClaimedDelivery[]> {
    return this.#db.query<ClaimedDelivery>({
      name: 'claim_any_deliveries',
      byIndex: true,
      scope: 'everybody',
      text: claimSweepSql,
      values: [...claimValues(limits), after],
    });
  }

  /**
   * Counts a suspect's next attempt before it begins.
   * @returns the delivery with its endpoint as it is now, since it may have waited long since the claim; undefined if this
   *   process no longer holds the delivery, or the endpoint is no longer active
   */
  async beginSuspect(delivery: ClaimedDelivery, leaseUntil: Date): Promise<ClaimedDelivery | undefined> {
    const [row] = await this.#db.query<Pick<ClaimedDelivery, 'tries' | keyof typeof recipientColumns>>({
      name: 'begin_suspect_delivery',
      text: `update deliveries d set tries = d.tries + 1, crashes = d.crashes + 1, lease_until = $5
             from webhook_endpoints e
             where d.account_id = $1 and d.endpoint_id = $2 and d.id = $3 and d.state = 'pending' and d.tries = $4
               and d.crashes < $6 and e.account_id = d.account_id and e.id = d.endpoint_id and e.status = 'active'
               and e.deleted_at is null
             returning d.tries, ${listOf(recipientColumns, 'e')}`,
      values: [
        delivery.account_id,
        delivery.endpoint_id,
        delivery.id,
        delivery.tries,
        leaseUntil,
        maxCrashes,
      ],
      scope: { accountId: delivery.account_id },
    });
    return row && { ...delivery, ...row };
  }

  /**
   * Parks a delivery that ended its process too often.
   * @returns false if it has not, or if this process no longer holds the delivery
   */
  async park(delivery: ClaimedDelivery, now: Date): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'park_delivery',
      text: `update deliveries set state = 'parked', ended_at = $5
             where account_id = $1 and endpoint_id = $2 and id = $3 and state = 'pending' and tries = $4
               and crashes >= $6
             returning id`,
      values: [delivery.account_id, delivery.endpoint_id, delivery.id, delivery.tries, now, maxCrashes],
      scope: { accountId: delivery.account_id },
    });
    return rows.length === 1;
  }

  /**
   * Records an attempt.
   * @returns false if another attempt has begun meanwhile: then the attempt is recorded without changing the delivery
   */
  finish(attempt: EndedAttempt): Promise<boolean> {
    return this.#finish.submit(attempt);
  }

  async #finishAll(attempts: readonly EndedAttempt[]): Promise<boolean[]> {
    const input = attempts.map(
      (attempt, n): RowOf<typeof endedColumns> => ({
        n,
        account_id: attempt.delivery.account_id,
        endpoint_id: attempt.delivery.endpoint_id,
        id: attempt.delivery.id,
        tenant: attempt.delivery.tenant,
        event_id: attempt.delivery.event_id,
        tries: attempt.delivery.tries,
        state: attempt.state,
        next_attempt_at: attempt.nextAttemptAt,
        url: attempt.delivery.url,
        request_headers: attempt.requestHeaders,
        answer_status: attempt.status,
        answer_headers: attempt.answerHeaders,
        answer_body: attempt.answerBody,
        error: attempt.error,
        duration_ms: Math.round(attempt.durationMs),
        thin: attempt.delivery.payload === 'thin',
        started_at: attempt.startedAt,
        ended_at: attempt.endedAt,
      }),
    );
    const rows = await this.#db.query<{ n: number }>({
      name: 'finish_deliveries',
      byIndex: true,
      text: finishSql,
      values: [JSON.stringify(input)],
      scope: input,
    });
    const done = new Set(rows.map((row) => row.n));
    return attempts.map((_attempt, n) => done.has(n));
  }
}
