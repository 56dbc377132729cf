import { randomBytes } from 'node:crypto';
import {
  createNotificationSender,
  type NotificationRoute,
  readLedger,
  type SandboxDependencies,
  sandboxSchema,
  signNotificationA,
  createProcessorA as simulateProcessorA,
} from '@till/sandbox';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { losingTransport } from '../conformance.ts';
import { sampleCard, sampleCharge } from '../fixtures.ts';
import type { NotificationEffect } from '../port/notifications.ts';
import type { ChargeOutcome, ChargeRequest, ProcessorConnection, ProcessorPort } from '../port/port.ts';
import { jsonObject, jsonText, parsedJson } from '../wire/json.ts';
import { simulatorTransport } from '../wire/simulator-transport.ts';
import { reply } from '../wire/test-transport.ts';
import type { Transport } from '../wire/transport.ts';
import { createProcessorA } from './adapter.ts';
import { buyer } from './test-kit.ts';

let pool: pg.Pool;
let dropDatabase: () => Promise<void>;

/** Creates a database for the simulators of a test file. */
export function useSimulators(): void {
  beforeAll(openDatabase);
  afterAll(() => dropDatabase());
}

async function openDatabase(): Promise<void> {
  const admin = new pg.Client({ connectionString: process.env.TILL_TEST_DATABASE_URL });
  await admin.connect();
  const database = `processor_a_${randomBytes(8).toString('hex')}`;
  await admin.query(`create database ${database}`);
  const { host, port, user, password } = admin;
  pool = new pg.Pool({ host, port, database, max: 4, ...(user && { user }), ...(password && { password }) });
  // `pool.end()` does not wait for its connections, so dropping the database may still break one.
  pool.on('error', () => {});
  await pool.query(sandboxSchema);
  dropDatabase = async () => {
    await pool.end();
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
  };
}

const secrets = {
  hmacKey: 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00',
  user: 'till',
  password: 'secret',
  webhookId: 'unused',
};

const connectionOf = (merchantAccount: string): ProcessorConnection => ({
  accountId: merchantAccount,
  livemode: false,
  baseUrl: 'https://processor-a.sandbox.invalid/v71',
  disputesUrl: 'https://processor-a.sandbox.invalid/ca/services/DisputeService/v30',
  credentials: {
    apiKey: 'sandbox',
    merchantAccount,
    hmacKey: secrets.hmacKey,
    notificationUser: secrets.user,
    notificationPassword: secrets.password,
  },
});

/** Receives notifications as the server does, and records their effects. */
function intake(connection: ProcessorConnection, port: () => ProcessorPort) {
  const effects: NotificationEffect[] = [];
  const route: NotificationRoute = {
    url: (_, account) => `https://till.example/processors/a/notifications/${account}`,
    secrets: () => secrets,
    async send({ headers, body }) {
      const received = await port().receiveNotification(connection, { headers, body });
      if (received.kind !== 'accepted') return reply(401);
      for (const { body: notification } of received.notifications) {
        const meant = await port().interpretNotification(connection, notification);
        if (Array.isArray(meant)) effects.push(...meant);
      }
      return reply(200, port().notificationReceipt);
    },
  };
  return { effects, route };
}

/** Sends requests to the simulator, and records where it redirected the buyer of each payment. */
function wireTo(simulator: ReturnType<typeof simulateProcessorA>) {
  const redirects = new Map<string, string>();
  const carry = simulatorTransport((request, signal) => simulator.handle(request, signal), {
    timeoutMs: 10_000,
  });
  const transport: Transport = async (request) => {
    const answer = await carry(request);
    const url = jsonText(jsonObject(jsonObject(parsedJson(answer.body)).action), 'url');
    const reference = jsonText(jsonObject(parsedJson(request.body)), 'reference');
    if (url !== null && reference !== null) redirects.set(reference, url);
    return answer;
  };
  return { redirects, ...losingTransport(transport) };
}

/** Connects the adapter to the simulator with a merchant account of its own, and records the effects of its notifications. */
export function connect() {
  const merchantAccount = `acct_${randomBytes(6).toString('hex')}`;
  const connection = connectionOf(merchantAccount);
  const { effects, route } = intake(connection, () => port);
  let now = new Date('2026-12-01T12:00:00Z');
  const deps: SandboxDependencies = {
    database: pool,
    now: () => now,
    randomBytes: (length) => randomBytes(length),
    // No test here waits for a slow response.
    delay: () => new Promise(() => {}),
    publicUrl: () => 'https://till.example',
    notifications: route,
  };
  const { transport, redirects, loseNextAnswer } = wireTo(simulateProcessorA(deps));
  let answersNonsense = false;
  const port: ProcessorPort = createProcessorA({
    transport: async (request) => (answersNonsense ? reply(200, '<html>') : transport(request)),
    delay: async () => {},
    elapsed: () => 0,
  });
  const sender = createNotificationSender(deps, { processor_a: signNotificationA(deps) });
  return {
    deps,
    port,
    connection,
    loseNextAnswer,
    redirects,
    answerNonsense: () => {
      answersNonsense = true;
    },
    /** Advances the clock by `seconds`, sends the notifications that are due by then, and returns their effects. */
    pass: async (seconds: number): Promise<NotificationEffect[]> => {
      now = new Date(now.getTime() + seconds * 1000);
      await sender.sendDue(merchantAccount);
      return effects.splice(0);
    },
    ledger: () => readLedger(pool, merchantAccount),
    charge: (changes: Partial<ChargeRequest>) =>
      port.charge(connection, sampleCharge({ buyer, save: null, ...changes })),
  };
}

/** A card with a simulator directive as its holder's name. */
export const named = (holderName: string): ChargeRequest['instrument'] => ({
  kind: 'card',
  card: { ...sampleCard, holderName },
});
export const challengeCard: ChargeRequest['instrument'] = {
  kind: 'card',
  card: { ...sampleCard, number: '4212345678910006' },
};

export const pspOf = (outcome: ChargeOutcome): string | undefined =>
  'facts' in outcome ? outcome.facts.upstream.psp : undefined;
