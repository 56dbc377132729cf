import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProcessorB, type Ledger, readLedger, type SandboxParts, sandboxSchema } from '@till/sandbox';
import pg from 'pg';
import type { CleanUp } from './clean-up.ts';
import { freshDatabase } from './fresh-database.ts';

/** processor_b behind an address, as a server of ours meets it: any client id is a merchant account there. */
export interface SimulatedProcessor {
  readonly baseUrl: string;
  /** What it really did for one merchant account. */
  ledger(merchantAccount: string): Promise<Ledger>;
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Serves the simulator of processor_b on this machine, with a database of its own. It sends no notifications. */
export async function serveProcessorB(cleanUp: CleanUp): Promise<SimulatedProcessor> {
  const pool = new pg.Pool({ connectionString: await freshDatabase(cleanUp), max: 4 });
  cleanUp.add(() => pool.end());
  await pool.query(sandboxSchema);
  const parts: SandboxParts = {
    database: { query: (text, values = []) => pool.query(text, [...values]) },
    now: () => new Date(),
    randomBytes: (length) => randomBytes(length),
    delay: async () => {},
    publicUrl: () => 'https://processor.example',
  };
  const simulator = createProcessorB(parts);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    try {
      const { method = 'GET', url = '/' } = request;
      const answered = await simulator.handle({ method, url, headers, body: await readAll(request) });
      response.writeHead(answered.status, answered.headers).end(answered.body);
    } catch {
      // It dropped the connection.
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
    ledger: (merchantAccount) => readLedger(parts.database, merchantAccount),
  };
}
