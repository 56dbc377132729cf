import type { Database } from '../../../packages/server/src/store/database.ts';
import { startMover } from '../../support/mover.ts';
import { until } from '../../support/until.ts';
import { Client } from '../client.ts';
import type { Finding } from '../counters.ts';
import type { DividedFleet } from '../fleets.ts';
import { flowNamed } from '../flows/flows.ts';

const refuses = "if now_is in ('fenced', 'gone') then";

/** Removes the fence from a database, so that an account that leaves can still be written. @throws Error if there is no fence */
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

/** The outcome of a move, and the faults after everything has reached its final state. */
interface HandOver {
  /** `moved`, or the code of the error that stopped it. */
  readonly ended: string;
  readonly findings: readonly Finding[];
}

/**
 * Moves an account while its charges are in flight at a processor. The processor responds when the last rows have been copied to
 * the other cell and are about to be committed there.
 * @param isFenced whether the source database refuses writes at that time
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
  // An error is handled below.
  charging.catch(() => {});
  await until('all are at the processor', () => upstream.held.waiting === clients);
  const mover = await startMover({ urls, to, moves: [{ account: shop.accountId, at: 'committing' }] });
  const enough = upstream.held.answered + answersInBetween;
  upstream.fault = () => undefined;
  upstream.release();
  // With a fence, clients wait for its end. The timeout is shorter than the time after which servers take over a stalled move.
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
