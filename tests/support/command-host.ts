import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../packages/server/src/cli/program.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Order {
  readonly environment: Readonly<Record<string, string>>;
  readonly parameters: readonly string[];
}

async function run(request: IncomingMessage, opened: (url: string) => Database | undefined): Promise<object> {
  const { environment, parameters } = (await json(request)) as Order;
  if (parameters.includes('serve')) throw new Error('serve ends its process: use runProcess');
  const result = { exitCode: 0, out: '', err: '' };
  await runProgram(parameters, {
    environment,
    folder: root,
    openedDatabase: opened,
    out: (text) => {
      result.out += `${text}\n`;
    },
    fail: (text, exitCode) => {
      if (text !== '') result.err += `${text}\n`;
      result.exitCode = exitCode;
    },
  });
  return result;
}

/**
 * Runs commands of `till` for tests, each with the environment that it is sent.
 * @param databaseUrl of the database that most of them use, which is opened once: a new connection takes longer than a command
 * @returns its address
 */
export async function startCommandHost(
  databaseUrl: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const shared = openDatabase({
    url: databaseUrl,
    connections: 6,
    applicationName: 'till commands',
    onError: () => {},
  });
  const server = createServer((request, response) => {
    run(request, (url) => (url === databaseUrl ? shared : undefined))
      .then((result) => response.end(JSON.stringify(result)))
      .catch((error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await shared.close();
    },
  };
}
