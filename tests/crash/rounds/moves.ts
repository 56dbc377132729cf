import { setTimeout as pause } from 'node:timers/promises';
import { rowsIn } from '../../support/rows-in.ts';
import { startProcess } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import type { Shop } from '../client.ts';
import type { DividedFleet } from '../fleets.ts';
import type { Random } from '../random.ts';
import { killServer } from './blows.ts';
import type { CycleResult } from './cycles.ts';
import { type Blow, runLoad } from './load.ts';

type Cell = keyof DividedFleet['urls'];

/** The steps of a move that are visible from outside, and the maximum delay in milliseconds until the command is struck. */
const moments = { begun: 8_000, held: 1_000, fenced: 40, committing: 10, moved: 60 } as const;
type Moment = keyof typeof moments;

/** The signal for the command, which ends or stalls it, and when it is sent. */
interface Strike {
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  readonly at: Moment;
  readonly afterMs: number;
}
const strikes = 0.7;
const stallShare = 0.3;
/** The maximum time for which a command stalls. Servers take over after six seconds, so some commands wake up earlier. */
const maxStandstillMs = 12_000;
/** How long the repair of moves may take. Servers check every second, and removing the account's rows takes a while. */
const repairTimeoutMs = 60_000;
const pollIntervalMs = 2;

const drawStrike = (random: Random): Strike | undefined => {
  if (!random.chance(strikes)) return undefined;
  const at = random.pick(Object.keys(moments) as Moment[]);
  const signal = random.chance(stallShare) ? 'SIGSTOP' : 'SIGKILL';
  return { signal, at, afterMs: random.below(moments[at]) };
};

/** Error codes after which a command may be repeated: another process was faster, or a database responded too late. */
const expected = /"code": ?"(move_taken_over|move_under_way|already_there|database_unavailable)"/;

/** Runs commands that move the accounts of a fleet from one cell to the other and back. Some commands are struck. */
class Movers {
  struck = 0;
  readonly problems: string[] = [];
  readonly #divided: DividedFleet;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #ended: Promise<unknown>;

  /** @param moves how often each account is moved */
  constructor(divided: DividedFleet, random: Random, moves: number) {
    const [server] = divided.fleet.servers;
    if (server === undefined) throw new Error('no server runs');
    this.#divided = divided;
    this.#environment = server.environment;
    this.#ended = Promise.all(
      divided.fleet.shops.map((shop) => this.#keepMoving(shop, random.fork(), moves)),
    );
    // An error is reported by `end`.
    this.#ended.catch(() => {});
  }

  /** Resolves once all commands have ended. */
  async end(): Promise<void> {
    await this.#ended;
  }

  async #keepMoving(shop: Shop, random: Random, moves: number): Promise<void> {
    for (let count = 0; count < moves; count += 1) {
      const source = await until(
        'servers end what a command left',
        () => this.#cellOf(shop),
        repairTimeoutMs,
      );
      await this.#move(shop, source, drawStrike(random), random.below(maxStandstillMs));
    }
  }

  /** The cell of an account; undefined while the account is being moved. */
  async #cellOf({ accountId }: Shop): Promise<Cell | undefined> {
    const { fleet, databaseIn } = this.#divided;
    const db = await fleet.place.databaseOf(accountId);
    if (db === undefined) return undefined;
    return db === databaseIn('home') ? 'home' : 'east';
  }

  async #move(shop: Shop, source: Cell, strike: Strike | undefined, standstillMs: number): Promise<void> {
    const to = source === 'home' ? 'east' : 'home';
    const parameters = ['accounts', 'move', shop.accountId, '--to', to, '--json'];
    const { process, ended } = startProcess(this.#environment, parameters);
    const over = ended.then(() => true as const);
    if (strike !== undefined && (await this.#sees(shop, source, strike.at, over))) {
      await Promise.race([over, pause(strike.afterMs)]);
      if (process.exitCode === null && process.kill(strike.signal)) this.struck += 1;
      if (strike.signal === 'SIGSTOP') {
        await pause(standstillMs);
        process.kill('SIGCONT');
      }
    }
    const { exitCode, out, err } = await ended;
    if (exitCode !== null && exitCode !== 0 && !expected.test(out)) {
      this.problems.push(`till ${parameters.join(' ')} ended with ${exitCode}: ${out}${err}`);
    }
  }

  /** Waits until a move reaches a step. @returns false if the command ends before */
  async #sees(shop: Shop, source: Cell, moment: Moment, over: Promise<true>): Promise<boolean> {
    const { databaseIn } = this.#divided;
    const values = [shop.accountId];
    const isSeen = async () => {
      const [fences, moves] = await Promise.all([
        databaseIn(source).query<{ state: string }>({
          name: 'crash_departure',
          text: `select state from departures where account_id = $1 and state = 'fenced'`,
          values,
          scope: 'everybody',
        }),
        databaseIn('home').query<{ state: string; is_held: boolean }>({
          name: 'crash_move',
          text: 'select state, is_held from account_moves where account_id = $1',
          values,
          scope: 'everybody',
        }),
      ]);
      const [move] = moves;
      if (moment === 'begun') return move !== undefined;
      if (moment === 'held') return move?.is_held === true;
      return moment === 'fenced' ? fences.length > 0 : move?.state === moment;
    };
    for (;;) {
      if (await isSeen()) return true;
      if (await Promise.race([over, pause(pollIntervalMs, false)])) return false;
    }
  }
}

/** Finds rows that accounts have left in the cell that they are not in. @returns texts about them */
async function leftBehind({ fleet, urls, databaseIn }: DividedFleet): Promise<readonly string[]> {
  const found = fleet.shops.map(async ({ accountId }) => {
    const isHome = (await fleet.place.databaseOf(accountId)) === databaseIn('home');
    const other = isHome ? 'east' : 'home';
    // Rows written at home by users' changes are forwarded within two seconds.
    const rest = await until('entries and mails have gone on', async () => {
      const rows = await rowsIn({ urls }, other, accountId);
      const isOnItsWay = Object.keys(rows).some((table) => table === 'audit_log' || table === 'mails');
      return isOnItsWay ? undefined : rows;
    });
    return Object.keys(rest).length === 0
      ? []
      : [`${accountId} has left rows in ${other}: ${JSON.stringify(rest)}`];
  });
  return (await Promise.all(found)).flat();
}

export interface MovesOptions {
  readonly clients: number;
  /** How often each account is moved. */
  readonly moves: number;
  /** How many servers are killed during the moves. */
  readonly kills: number;
}

/** The maximum time between two kills. */
const maxPauseMs = 6_000;

/**
 * Moves the accounts of all programs from one cell to the other and back while the programs run. Meanwhile servers and some of
 * the commands that move accounts are killed.
 */
export async function moveUnderLoad(
  divided: DividedFleet,
  random: Random,
  { clients, moves, kills }: MovesOptions,
): Promise<CycleResult> {
  const movers = new Movers(divided, random.fork(), moves);
  const kill: Blow = async (fleet, drawn) => {
    await pause(drawn.below(maxPauseMs));
    await killServer(fleet, drawn);
  };
  const blows = [...Array.from({ length: kills }, () => kill), () => movers.end()];
  const { findings, flows } = await runLoad(divided.fleet, random, { clients, blows });
  return {
    flows,
    struck: kills + movers.struck,
    findings,
    problems: [...movers.problems, ...(await leftBehind(divided))],
  };
}
