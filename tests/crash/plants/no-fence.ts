import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../packages/server/src/store/database.ts';
import { startMover } from '../../support/mover.ts';
import { until } from '../../support/until.ts';
import { Client } from '../client.ts';
import type { Finding } from '../counters.ts';
import type { DividedFleet } from '../fleets.ts';
import { flowNamed } from '../flows/flows.ts';
import { slowMs } from '../upstream.ts';

const refuses = "if now_is in ('fenced', 'gone') then";

/** Lets everybody go on writing in a database of an account that leaves it. @throws Error where it has no such fence */
export async function leaveFenceOut(db: Database): Promise<void> {
  const [found] = await db.query<{ text: string }>({
    text: `select pg_get_functiondef('note_departing'::regproc) as text`,
    scope: 'everybody',
  });
  if (found?.text.includes(refuses) !== true) throw new Error(`note_departing has no "${refuses}"`);
  await db.query({ text: found.text.replace(refuses, 'if false then'), scope: 'everybody' });
}

const clients = 10;
/** One after the other: answers that come within the first second and a half are waited for before the fence. */
const apartMs = slowMs / clients;
const answersInBetween = 2;

/** How a move ended, and what is wrong when everything has come to its end. */
interface HandOver {
  /** `moved`, or the code of the error that stopped it. */
  readonly ended: string;
  readonly findings: readonly Finding[];
}

/**
 * Moves an account while its charges are at a processor that takes five seconds: some of the answers come when the last rows
 * have been brought to the other cell and are just being committed there.
 */
export async function answeredDuringHandOver(
  { fleet, urls }: DividedFleet,
  to: keyof DividedFleet['urls'],
): Promise<HandOver> {
  const shop = fleet.shopOf('processor_a');
  const { upstream } = fleet.place;
  upstream.fault = () => 'slow';
  const flow = flowNamed('charge on processor_a');
  const made: Client[] = [];
  let isOver = false;
  const charge = async (number: number) => {
    await pause(number * apartMs);
    for (let round = 0; !isOver; round += 1) {
      const client = new Client(fleet, shop, `to-${to}-${number}-${round}`);
      made.push(client);
      await flow.run(client, () => {});
    }
  };
  const charging = Promise.all(Array.from({ length: clients }, (_value, number) => charge(number)));
  // An error is met below.
  charging.catch(() => {});
  const mover = await startMover({ urls, to, moves: [{ account: shop.accountId, at: 'committing' }] });
  // Of the processor: what clients are answered waits for the end of the fence.
  const enough = upstream.slowAnswers + answersInBetween;
  // Sooner than servers take over from a command that stands still.
  await until('answers come in between', () => upstream.slowAnswers >= enough, 5_000);
  const { [shop.accountId]: ended = 'nothing' } = await mover.goOn();
  isOver = true;
  upstream.fault = () => undefined;
  if (ended !== 'moved') return { ended, findings: [] };
  await charging;
  await fleet.settle();
  return { ended, findings: await fleet.examine(made) };
}
