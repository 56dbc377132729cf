import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createProcessorA,
  createProcessorB,
  type Ledger,
  readLedger,
  type SandboxDependencies,
  sandboxSchema,
} from '@till/sandbox';
import pg from 'pg';
import type { CleanUp } from './clean-up.ts';
import { freshDatabase } from './fresh-database.ts';

/**
 * Receives each request to the processor. Returns a response to send instead, or undefined to let the
 * processor respond.
 */
export type Interception = (request: {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}) => { readonly status: number; readonly body: string | object } | undefined;

/**
 * A simulated processor behind a URL, for Till servers that connect to it like to a real one. It accepts any
 * client id or API key.
 */
export interface SimulatedProcessor {
  readonly baseUrl: string;
  /** The id of processor_b's webhook. */
  readonly webhookId: string;
  /** Sets the URL of that webhook. */
  setWebhookUrl(url: string): void;
  /** Returns what the processor really did for one merchant account. */
  ledger(merchantAccount: string): Promise<Ledger>;
  /** From now on `interception` receives each request first. Null removes it. */
  intercept(interception: Interception | null): void;
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Serves the simulator of processor_a locally, with its own database. It sends no notifications. */
export const serveProcessorA = (cleanUp: CleanUp) => serveProcessor(cleanUp, createProcessorA);

/** Serves the simulator of processor_b locally, with its own database. It sends no notifications. */
export const serveProcessorB = (cleanUp: CleanUp) => serveProcessor(cleanUp, createProcessorB);

const webhookId = '1JE4291016473214C';

async function serveProcessor(
  cleanUp: CleanUp,
  create: typeof createProcessorA | typeof createProcessorB,
): Promise<SimulatedProcessor> {
  const pool = new pg.Pool({ connectionString: await freshDatabase(cleanUp), max: 4 });
  // `end` does not wait until the connections are closed, so dropping the database may still terminate one.
  pool.on('error', () => {});
  cleanUp.add(() => pool.end());
  await pool.query(sandboxSchema);
  let webhookUrl = 'https://nobody.example/';
  const deps: SandboxDependencies = {
    database: { query: (text, values = []) => pool.query(text, [...values]) },
    now: () => new Date(),
    randomBytes: (length) => randomBytes(length),
    delay: async () => {},
    publicUrl: () => 'https://processor.example',
    notifications: {
      url: () => webhookUrl,
      secrets: () => ({ hmacKey: 'ab'.repeat(32), user: 'till', password: 'secret', webhookId }),
      send: async () => ({ status: 503, headers: {}, body: Buffer.alloc(0) }),
    },
  };
  const simulator = create(deps);
  let interception: Interception | null = null;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    try {
      const { method = 'GET', url = '/' } = request;
      const body = await readAll(request);
      const instead = interception?.({ method, path: url, body });
      if (instead !== undefined) {
        const text = typeof instead.body === 'string' ? instead.body : JSON.stringify(instead.body);
        response.writeHead(instead.status, { 'content-type': 'application/json' }).end(text);
        return;
      }
      const answered = await simulator.handle({ method, url, headers, body });
      response.writeHead(answered.status, answered.headers).end(answered.body);
    } catch {
      // The simulator dropped the connection.
      request.socket.destroy();
    }
  };
  const listener = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  cleanUp.add(
    () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  );
  return {
    baseUrl: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    webhookId,
    setWebhookUrl: (url) => {
      webhookUrl = url;
    },
    ledger: (merchantAccount) => readLedger(deps.database, merchantAccount),
    intercept: (next) => {
      interception = next;
    },
  };
}
