import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { moveAccount } from '../../packages/server/src/cells/move/move.ts';
import type { Step } from '../../packages/server/src/cells/move/moving.ts';
import { systemClock } from '../../packages/server/src/lib/clock.ts';
import { openDatabase } from '../../packages/server/src/store/database.ts';

/** Moves of accounts to a cell, each of which pauses at a step. */
export interface MoverOrder {
  /** Database URLs by the names of their cells. */
  readonly urls: Readonly<Record<string, string>>;
  readonly to: string;
  readonly moves: readonly { readonly account: string; readonly at: Step }[];
}

const self = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A process that moves accounts like the command, and pauses each move after its step. */
export interface Mover {
  readonly process: ChildProcess;
  /**
   * Resumes all moves.
   * @returns the result of each move by account: `moved`, or the error's code or message
   */
  goOn(): Promise<Readonly<Record<string, string>>>;
}

/** Starts the moves. Resolves once each one has reached its step. */
export async function startMover(order: MoverOrder): Promise<Mover> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', self], {
    cwd: root,
    env: { ...process.env, TILL_TEST_MOVES: JSON.stringify(order) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[][] = [];
  const looks = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line.split(' '));
    for (const look of looks) look();
  });
  const all = (what: string) =>
    new Promise<Readonly<Record<string, string>>>((resolve, reject) => {
      const look = () => {
        const found = lines.filter(([kind]) => kind === what);
        if (found.length < order.moves.length) return;
        looks.delete(look);
        resolve(Object.fromEntries(found.map(([, account = '', ...rest]) => [account, rest.join(' ')])));
      };
      looks.add(look);
      child.once('exit', (code) => reject(new Error(`the mover ended with ${code}: ${lines.join('; ')}`)));
      look();
    });
  await all('at');
  return {
    process: child,
    goOn() {
      child.stdin.end('go\n');
      return all('ended');
    },
  };
}

async function main({ urls, to, moves }: MoverOrder): Promise<void> {
  const databases = new Map(
    Object.entries(urls).map(([name, url]) => {
      const connections = 3 * moves.length + 2;
      return [
        name,
        openDatabase({ url, connections, applicationName: 'till test mover', onError: () => {} }),
      ] as const;
    }),
  );
  const open = async (cell: string) => {
    const db = databases.get(cell);
    if (db === undefined) throw new Error(`there is no cell ${cell}`);
    return db;
  };
  const order = new Promise((resolve) => process.stdin.once('data', resolve));
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const move = async ({ account, at }: (typeof moves)[number]) => {
    const onStep = async (step: Step) => {
      if (step !== at) return;
      print(`at ${account} ${step}`);
      await order;
    };
    try {
      await moveAccount({ home: await open('home'), clock: systemClock, open, onStep }, account, to);
      return 'moved';
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  };
  const ended = moves.map(async (one) => print(`ended ${one.account} ${await move(one)}`));
  await Promise.all(ended);
  await Promise.all([...databases.values()].map((db) => db.close()));
}

if (process.argv[1] === self) await main(JSON.parse(process.env.TILL_TEST_MOVES ?? '{}') as MoverOrder);
