import type { Database } from '../../../packages/server/src/store/database.ts';
import { startMover } from '../../support/mover.ts';
import { until } from '../../support/until.ts';
import { Client } from '../client.ts';
import type { Finding } from '../counters.ts';
import type { DividedFleet } from '../fleets.ts';
import { flowNamed } from '../flows/flows.ts';

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
const answersInBetween = 2;

/** How a move ended, and what is wrong when everything has come to its end. */
interface HandOver {
  /** `moved`, or the code of the error that stopped it. */
  readonly ended: string;
  readonly findings: readonly Finding[];
}

/**
 * Moves an account while its charges are at a processor, which answers when the last rows have been brought to the other
 * cell and are just being committed there.
 * @param isFenced whether the database refuses what is written then
 */
export async function answeredDuringHandOver(
  { fleet, urls }: DividedFleet,
  to: keyof DividedFleet['urls'],
  isFenced: boolean,
): Promise<HandOver> {
  const shop = fleet.shopOf('processor_a');
  const { upstream } = fleet.place;
  upstream.fault = () => 'held';
  const flow = flowNamed('charge on processor_a');
  const made: Client[] = [];
  let isOver = false;
  const charge = async (number: number) => {
    for (let round = 0; !isOver; round += 1) {
      const client = new Client(fleet, shop, `to-${to}-${number}-${round}`);
      made.push(client);
      await flow.run(client, () => {});
    }
  };
  const charging = Promise.all(Array.from({ length: clients }, (_value, number) => charge(number)));
  // An error is met below.
  charging.catch(() => {});
  await until('all are at the processor', () => upstream.held.waiting === clients);
  const mover = await startMover({ urls, to, moves: [{ account: shop.accountId, at: 'committing' }] });
  const enough = upstream.held.answered + answersInBetween;
  upstream.fault = () => undefined;
  upstream.release();
  // Behind a fence clients wait for its end. Sooner than servers take over from a command that stands still.
  const isAnswered = () =>
    isFenced ? upstream.held.answered >= enough : made.length >= clients + answersInBetween;
  await until('answers come in between', isAnswered, 5_000);
  const { [shop.accountId]: ended = 'nothing' } = await mover.goOn();
  isOver = true;
  if (ended !== 'moved') return { ended, findings: [] };
  await charging;
  await fleet.settle();
  return { ended, findings: await fleet.examine(made) };
}
