import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Provider } from '@till/contract';
import {
  ConnectionDropped,
  createNotificationSender,
  createNotificationSignerB,
  createProcessorA,
  createProcessorB,
  type Ledger,
  openDisputeA,
  openDisputeB,
  readLedger,
  resolveApproval,
  type SandboxDependencies,
  signNotificationA,
  type WireRequest,
  type WireResponse,
} from '@till/sandbox';
import type { Clock } from '../../packages/server/src/lib/clock.ts';
import type { DerivedKeys } from '../../packages/server/src/lib/keys.ts';
import { readMerchantAccount } from '../../packages/server/src/lib/merchant-account.ts';
import { sandboxDatabase } from '../../packages/server/src/simulators/database.ts';
import { sandboxSecrets } from '../../packages/server/src/simulators/feature.ts';
import { Batcher } from '../../packages/server/src/store/batcher.ts';
import type { Database } from '../../packages/server/src/store/database.ts';

/**
 * The ways in which a request to a processor fails. With `lost` it is not executed. With `done` it is executed, but the response
 * is lost. With `late` it is executed after the server's timeout. With `slow` the response takes 5 seconds.
 */
export const faults = [
  'unavailable',
  'error lost',
  'error done',
  'drop lost',
  'drop done',
  'silence lost',
  'silence done',
  'late',
  'slow',
] as const;
/**
 * Wrong responses of a processor, each instead of executing the request or after it: a client error without a reason, a 409, an
 * error that another request with this key is in progress, or a body that is not JSON.
 */
export const wrongAnswers = [
  'refusal lost',
  'refusal done',
  'conflict lost',
  'conflict done',
  'in progress lost',
  'in progress done',
  'malformed lost',
  'malformed done',
] as const;
export type WrongAnswer = (typeof wrongAnswers)[number];
/** With `held` the processor responds once it is released. */
export type Fault = (typeof faults)[number] | WrongAnswer | 'held';

export interface Call {
  readonly processor: Provider;
  readonly method: string;
  readonly path: string;
}

export interface UpstreamDependencies {
  readonly ledger: Database;
  readonly clock: Clock;
  readonly keys: DerivedKeys;
  /** Delivers a notification to the server. Rejects if there is no response. */
  readonly deliver: (request: WireRequest) => Promise<WireResponse>;
  /** The delay before a `late` request is executed, which is longer than the server's timeout. */
  readonly lateMs: number;
}

const slowMs = 5_000;
const updatesMs = 24 * 3_600_000;

const declinesSql = `select body::json ->> 'merchantReference' as reference from sandbox.requests
    where merchant_account = $1 and status = 200
      and body::json ->> 'resultCode' in ('Refused', 'Cancelled', 'Error')
  union all
  select state ->> 'reference' from sandbox.orders
    where merchant_account = $1
      and (state -> 'capture' ->> 'status' = 'DECLINED' or state -> 'authorization' ->> 'status' = 'DENIED')`;

/**
 * Both simulated processors outside the server, with a separate database, so that their ledger survives any failure of the server
 * and its database.
 */
export class Upstream {
  /** Chooses the fault of a request; undefined lets it through. */
  fault: (call: Call) => Fault | undefined = () => undefined;
  /** The number of requests so far. */
  calls = 0;
  /** How many requests with the fault `held` wait for their release, and how many got a response after it. */
  readonly held = { waiting: 0, answered: 0 };
  #release = new AbortController();
  readonly #deps: UpstreamDependencies;
  readonly #simulators: Readonly<Record<Provider, Pick<ReturnType<typeof createProcessorA>, 'handle'>>>;
  readonly #sandbox: SandboxDependencies;
  readonly #sender: ReturnType<typeof createNotificationSender>;

  constructor(deps: UpstreamDependencies) {
    const { ledger, clock, keys } = deps;
    this.#deps = deps;
    this.#sandbox = {
      database: sandboxDatabase(ledger),
      now: () => clock.now(),
      randomBytes,
      delay: clock.delay,
      publicUrl: () => 'http://upstream.invalid',
      batch: (run, keyOf) => {
        const batcher = new Batcher(run, { keyOf });
        return (row) => batcher.submit(row);
      },
      notifications: {
        url: (processor, merchantAccount) =>
          `http://till.invalid/processors/${processor === 'processor_a' ? 'a' : 'b'}/notifications/${readMerchantAccount(merchantAccount).accountId}`,
        secrets: sandboxSecrets(keys),
        send: deps.deliver,
      },
    };
    this.#simulators = {
      processor_a: createProcessorA(this.#sandbox),
      processor_b: createProcessorB(this.#sandbox),
    };
    this.#sender = createNotificationSender(this.#sandbox, {
      processor_a: signNotificationA(this.#sandbox),
      processor_b: createNotificationSignerB(this.#sandbox),
    });
  }

  /** Handles a request. Rejects if the connection is dropped. @param signal aborts once the client has gone */
  async handle(processor: Provider, request: WireRequest, signal?: AbortSignal): Promise<WireResponse> {
    this.calls += 1;
    const path = new URL(request.url).pathname;
    const fault = this.fault({ processor, method: request.method, path });
    const work = () => this.#simulators[processor].handle(request);
    switch (fault) {
      case undefined:
        return work();
      case 'slow':
        await pause(slowMs);
        return work();
      case 'held': {
        this.held.waiting += 1;
        await aborted(this.#release.signal);
        this.held.waiting -= 1;
        const answer = await work();
        this.held.answered += 1;
        return answer;
      }
      case 'unavailable':
        return serverError(503);
      case 'late':
        await pause(this.#deps.lateMs);
        await work();
        return this.#breakOff(fault, signal);
      default:
        if (fault.endsWith('done')) await work();
        return wrongly(fault, processor) ?? (await this.#breakOff(fault, signal));
    }
  }

  /** Releases the held responses. */
  release(): void {
    this.#release.abort();
    this.#release = new AbortController();
  }

  async #breakOff(fault: Fault, signal: AbortSignal | undefined): Promise<WireResponse> {
    if (fault.startsWith('error')) return serverError(500);
    if (fault.startsWith('silence')) await aborted(signal);
    throw new ConnectionDropped();
  }

  /** Approves on the processor's page as the buyer. @returns the URL to return to; null if no approval is pending */
  async approve(redirectUrl: string): Promise<string | null> {
    const id = new URL(redirectUrl).pathname.split('/').at(-1) ?? '';
    return (await resolveApproval(this.#sandbox, id, 'approved'))?.returnUrl ?? null;
  }

  /** Disputes a payment as the buyer's bank. */
  async dispute(processor: Provider, merchantAccount: string, paymentReference: string): Promise<void> {
    const open = processor === 'processor_a' ? openDisputeA : openDisputeB;
    const opened = await open(this.#sandbox, { merchantAccount, paymentReference, state: 'chargeback' });
    if (opened === null) throw new Error(`${paymentReference} cannot be disputed`);
  }

  /** The processor's status of an account's disputes, by the processor's ids. */
  async disputesOf(merchantAccount: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#deps.ledger.query<{ upstream_id: string; status: string }>({
      text: `select upstream_id, (
               select step ->> 'status' from jsonb_array_elements(state -> 'steps') with ordinality as s (step, n)
               where (step ->> 'at')::timestamptz <= $2 order by n desc limit 1) as status
             from sandbox.disputes where merchant_account = $1`,
      values: [merchantAccount, this.#deps.clock.now()],
      scope: 'everybody',
    });
    return new Map(rows.map(({ upstream_id: id, status }) => [id, status]));
  }

  /** Sends due notifications. @returns how many were accepted */
  notify(merchantAccount?: string): Promise<number> {
    return this.#sender.sendDue(merchantAccount);
  }

  /**
   * Whether a due notification about this account has not been accepted yet. Notifications planned for days later, such as the
   * end of a dispute without a response, do not count.
   */
  async hasUpdates(merchantAccount: string): Promise<boolean> {
    const rows = await this.#deps.ledger.query({
      text: 'select 1 from sandbox.notifications where merchant_account = $1 and not sent and due_at <= $2 limit 1',
      values: [merchantAccount, new Date(this.#deps.clock.now().getTime() + updatesMs)],
      scope: 'everybody',
    });
    return rows.length > 0;
  }

  /** The references of payments that an issuer or a buyer has declined. */
  async declinedOf(merchantAccount: string): Promise<ReadonlySet<string>> {
    const rows = await this.#deps.ledger.query<{ reference: string }>({
      text: declinesSql,
      values: [merchantAccount],
      scope: 'everybody',
    });
    return new Set(rows.map(({ reference }) => reference));
  }

  ledgerOf(merchantAccount: string): Promise<Ledger> {
    return readLedger(this.#sandbox.database, merchantAccount);
  }
}

const answer = (status: number, body: string, type = 'application/json'): WireResponse => ({
  status,
  headers: { 'content-type': type },
  body: Buffer.from(body),
});

const serverError = (status: 500 | 503): WireResponse => answer(status, '{}');

/** Each processor's error for a key whose other request is in progress. */
const inProgress: Readonly<Record<Provider, WireResponse>> = {
  processor_a: answer(
    422,
    '{"status":422,"errorCode":"704","message":"request already processed or in progress"}',
  ),
  processor_b: answer(
    422,
    '{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"PREVIOUS_REQUEST_IN_PROGRESS"}]}',
  ),
};

/** The wrong response for a fault; undefined for a fault of another kind. */
function wrongly(fault: Fault, processor: Provider): WireResponse | undefined {
  if (fault.startsWith('refusal')) return answer(400, '{}');
  if (fault.startsWith('conflict')) return answer(409, '{}');
  if (fault.startsWith('in progress')) return inProgress[processor];
  return fault.startsWith('malformed') ? answer(200, '<html>Welcome</html>', 'text/html') : undefined;
}

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined || signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
