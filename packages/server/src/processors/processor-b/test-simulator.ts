import { randomBytes } from 'node:crypto';
import {
  createNotificationSender,
  createNotificationSignerB,
  createProcessorB as createSimulator,
  readLedger,
  resolveApproval,
  type SandboxDependencies,
  sandboxSchema,
} from '@till/sandbox';
import pg from 'pg';
import { losingTransport } from '../conformance.ts';
import { sampleCard, sampleCharge } from '../fixtures.ts';
import type { SaveRequest, StoredInstrument } from '../port/instruments.ts';
import type { NotificationEffect, NotificationRequest } from '../port/notifications.ts';
import type {
  ChargeFacts,
  ChargeOutcome,
  ChargeRequest,
  ProcessorConnection,
  ProcessorPort,
} from '../port/port.ts';
import { createProcessorB } from './adapter.ts';

/** Creates a separate database with the simulators' schema, for tests. */
export async function createSimulatorDatabase(): Promise<{ pool: pg.Pool; drop: () => Promise<void> }> {
  const server = process.env.TILL_TEST_DATABASE_URL;
  if (server === undefined) throw new Error('TILL_TEST_DATABASE_URL must name a PostgreSQL server');
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  const name = `processor_b_${randomBytes(8).toString('hex')}`;
  await admin.query(`create database ${name}`);
  const { host, port, user, password } = admin;
  const pool = new pg.Pool({
    host,
    port,
    database: name,
    max: 4,
    ...(user === undefined ? {} : { user }),
    ...(password == null ? {} : { password }),
  });
  // `pool.end()` does not wait for its connections, so dropping the database may still break one.
  pool.on('error', () => {});
  await pool.query(sandboxSchema);
  return {
    pool,
    async drop() {
      await pool.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

const baseUrl = 'https://processor-b.sandbox.invalid';
const webhookId = '1JE4291016473214C';
let accounts = 0;

/** The simulated upstream of one merchant account, with a clock that only the test moves. */
function simulateUpstream(pool: pg.Pool, merchantAccount: string) {
  const time = { now: new Date('2026-11-20T12:00:00Z') };
  const deliveries: NotificationRequest[] = [];
  const deps: SandboxDependencies = {
    database: { query: (text, values = []) => pool.query(text, [...values]) },
    now: () => time.now,
    randomBytes: (length) => randomBytes(length),
    delay: async () => {},
    publicUrl: () => 'https://till.example',
    notifications: {
      url: () => 'https://till.example/notifications',
      secrets: () => ({ hmacKey: '', user: '', password: '', webhookId }),
      async send({ headers, body }) {
        deliveries.push({ headers, body });
        return { status: 200, headers: {}, body: Buffer.alloc(0) };
      },
    },
  };
  const sender = createNotificationSender(deps, {
    processor_a: () => {
      throw new Error('no notification of processor_a');
    },
    processor_b: createNotificationSignerB(deps),
  });
  const simulator = createSimulator(deps);
  return {
    deps,
    time,
    ...losingTransport((request) => simulator.handle(request)),
    /** Advances the clock and returns the notifications that the simulator then sends. */
    deliveredAfter: async (ms: number): Promise<NotificationRequest[]> => {
      time.now = new Date(time.now.getTime() + ms);
      await sender.sendDue(merchantAccount);
      return deliveries.splice(0);
    },
  };
}

const connectionOf = (merchantAccount: string): ProcessorConnection => ({
  accountId: merchantAccount,
  livemode: false,
  baseUrl,
  disputesUrl: baseUrl,
  credentials: {
    clientId: merchantAccount,
    clientSecret: 'sandbox',
    merchantId: merchantAccount,
    webhookId,
    certificateUrl: `${baseUrl}/v1/notifications/certs/CERT-SANDBOX`,
  },
});

/** Connects the adapter to the simulator, with a merchant account of its own. */
export function connectSimulator(pool: pg.Pool) {
  accounts += 1;
  const merchantAccount = `acct_${String(accounts).padStart(24, '0')}`;
  const upstream = simulateUpstream(pool, merchantAccount);
  const { deps, time, transport, loseNextAnswer, deliveredAfter } = upstream;
  const port = createProcessorB({ transport, delay: async () => {}, elapsed: () => 0, now: () => time.now });
  const connection = connectionOf(merchantAccount);
  const ledger = () => readLedger(deps.database, merchantAccount);
  return {
    port,
    connection,
    loseNextAnswer,
    deliveredAfter,
    ledger,
    charge: (request: ChargeRequest) => port.charge(connection, request),
    /** Reauthorizes a hold, as a merchant can in the upstream's own dashboard. @returns the new hold's id */
    async reauthorize(authorization: string): Promise<string> {
      const send = async (path: string, headers: Record<string, string>, body: string) => {
        const url = `${connection.baseUrl}${path}`;
        const sent = await transport({ method: 'POST', url, headers, body: Buffer.from(body) });
        return JSON.parse(sent.body.toString());
      };
      const basic = Buffer.from(`${merchantAccount}:sandbox`).toString('base64');
      const form = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
      const { access_token: token } = await send('/v1/oauth2/token', form, 'grant_type=client_credentials');
      const json = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'paypal-request-id': `${authorization}:anew`,
      };
      return (await send(`/v2/payments/authorizations/${authorization}/reauthorize`, json, '{}')).id;
    },
    /** Approves an order as the buyer. @returns what the browser brings back */
    async approve(order: string): Promise<Record<string, string>> {
      const resolved = await resolveApproval(deps, order, 'approved');
      return Object.fromEntries(new URL(resolved?.returnUrl ?? 'https://none.example').searchParams);
    },
    /** How often the payment was captured. */
    async collected(paymentId: string): Promise<number> {
      const { charges } = await ledger();
      return charges.filter(({ reference, status }) => reference === paymentId && status === 'captured')
        .length;
    },
    /** Advances the clock and returns the effects of the upstream's notifications, all of which must be accepted. */
    async effectsAfter(ms: number): Promise<NotificationEffect[]> {
      const effects: NotificationEffect[] = [];
      for (const delivery of await deliveredAfter(ms)) {
        effects.push(...(await effectsOf(port, connection, delivery)));
      }
      return effects;
    },
  };
}

async function effectsOf(
  port: ProcessorPort,
  connection: ProcessorConnection,
  delivery: NotificationRequest,
): Promise<readonly NotificationEffect[]> {
  const intake = await port.receiveNotification(connection, delivery);
  if (intake.kind !== 'accepted') throw new Error(`not accepted: ${intake.reason}`);
  const [notification] = intake.notifications;
  const effects = await port.interpretNotification(connection, notification?.body);
  if ('kind' in effects) throw new Error(`not interpreted: ${effects.reason}`);
  return effects;
}

export type ConnectedSimulator = ReturnType<typeof connectSimulator>;

let payments = 0;

/** A charge of a new payment. */
export function newCharge(changes: Partial<ChargeRequest> = {}): ChargeRequest {
  payments += 1;
  const paymentId = `pay_${String(payments).padStart(24, '0')}`;
  return sampleCharge({ paymentId, upstreamKey: `${paymentId}:c`, ...changes });
}

/** A typed card with a simulator directive as its holder's name. */
export const cardOf = (holderName: string) =>
  ({ instrument: { kind: 'card', card: { ...sampleCard, holderName } } }) as const;

/** The facts of an outcome, which must have some. */
export function factsOf(outcome: ChargeOutcome): ChargeFacts {
  if (!('facts' in outcome)) throw new Error(`no facts: ${outcome.kind}`);
  return outcome.facts;
}

/** Save request of a subscription's first payment, and its buyer. */
export const save: SaveRequest = { model: 'subscription', upstreamCustomer: null, required: true };
export const buyer = {
  id: 'cus_1',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  phone: null,
  locale: null,
  dateOfBirth: null,
};

/** Saves a card or wallet, and returns the instrument for a later merchant-initiated charge. */
export async function savedBy(
  simulator: ConnectedSimulator,
  changes: Partial<ChargeRequest>,
): Promise<StoredInstrument> {
  const request = newCharge({ buyer, save, ...changes });
  let outcome = await simulator.charge(request);
  if (outcome.kind === 'requires_action') {
    const upstream = factsOf(outcome).upstream;
    await simulator.approve(upstream.order ?? '');
    const confirmed = await simulator.port.confirm(simulator.connection, {
      ...request,
      upstreamKey: `${request.paymentId}:f:1`,
      upstream,
      returned: null,
    });
    if (confirmed.kind === 'not_approved') throw new Error('not approved');
    outcome = confirmed;
  }
  const { saved } = factsOf(outcome);
  if (saved === null) throw new Error('nothing saved');
  return {
    kind: 'stored',
    method: request.instrument.kind === 'wallet' ? 'wallet' : 'card',
    ...saved,
    model: 'subscription',
    initiator: 'merchant',
    networkTransactionReference: null,
  };
}
