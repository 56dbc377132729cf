import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../packages/server/src/cli/program.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import { areSiblings } from './fresh-database.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Order {
  readonly environment: Readonly<Record<string, string>>;
  readonly parameters: readonly string[];
}

async function run(request: IncomingMessage, databases: OpenDatabases): Promise<object> {
  const { environment, parameters } = (await json(request)) as Order;
  if (parameters.includes('serve')) throw new Error('serve ends its process: use runProcess');
  const result = { exitCode: 0, out: '', err: '' };
  const opened = databases.forCommand();
  try {
    await runProgram(parameters, {
      environment,
      folder: root,
      openedDatabase: opened.at,
      out: (text) => {
        result.out += `${text}\n`;
      },
      fail: (text, exitCode) => {
        if (text !== '') result.err += `${text}\n`;
        result.exitCode = exitCode;
      },
    });
  } finally {
    opened.giveBack();
  }
  return result;
}

/** Maximum number of open databases of servers under test, besides the one that most commands use. */
const maxOthers = 6;

interface OpenDatabase {
  readonly db: Database;
  commands: number;
}

/**
 * Databases on the shared PostgreSQL, each opened only once, since opening a connection takes longer than
 * running a command.
 */
class OpenDatabases {
  readonly #mainUrl: string;
  readonly #open = new Map<string, OpenDatabase>();

  /** @param mainUrl URL of the database that most commands use */
  constructor(mainUrl: string) {
    this.#mainUrl = mainUrl;
  }

  /** @returns functions that open databases for one command and release them */
  forCommand(): { at: (url: string) => Database | undefined; giveBack: () => void } {
    const taken: OpenDatabase[] = [];
    return {
      at: (url) => {
        // Another PostgreSQL server may be stopped by its test.
        if (!areSiblings(url, this.#mainUrl)) return undefined;
        const open = this.#take(url);
        taken.push(open);
        return open.db;
      },
      giveBack: () => {
        for (const open of taken) open.commands -= 1;
        this.#closeOldest();
      },
    };
  }

  #take(url: string): OpenDatabase {
    const connections = url === this.#mainUrl ? 6 : 2;
    const open = this.#open.get(url) ?? {
      db: openDatabase({ url, connections, applicationName: 'till commands', onError: () => {} }),
      commands: 0,
    };
    open.commands += 1;
    this.#open.delete(url);
    this.#open.set(url, open);
    return open;
  }

  #closeOldest(): void {
    for (const [url, { db, commands }] of this.#open) {
      if (this.#open.size <= maxOthers + 1) return;
      if (url === this.#mainUrl || commands > 0) continue;
      this.#open.delete(url);
      void db.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ db }) => db.close()));
  }
}

/**
 * Starts a server that runs `till` commands for tests, each with the environment it is sent.
 * @param databaseUrl URL of the database that most commands use
 * @returns the host's own URL
 */
export async function startCommandHost(
  databaseUrl: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const databases = new OpenDatabases(databaseUrl);
  const server = createServer((request, response) => {
    run(request, databases)
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
      await databases.close();
    },
  };
}
