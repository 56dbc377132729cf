import { cardPayment } from '../../support/card-payment.ts';
import type { Answered, Client } from '../client.ts';
import { merchantNames } from '../merchants.ts';
import { pay, payments, type Runs } from './flow.ts';

/** How often the connection is led to the other merchant account and back. */
const maxRounds = 8;

/** A request that is sent once at a time, until it is answered. */
interface Asked {
  readonly step: string;
  readonly path: string;
  readonly body: object;
  /** What another merchant account made it knows nothing of: only a new charge may be asked of any. */
  readonly ofAny: boolean;
}

/** Asks once for each of them. @returns those that got no answer */
async function ask(client: Client, asked: readonly Asked[]): Promise<Asked[]> {
  const left: Asked[] = [];
  for (const one of asked) {
    if ((await client.once(one.step, one.path, one.body)) === undefined) left.push(one);
  }
  return left;
}

/** Nothing of one merchant account is asked of the other, and everything ends where it was begun. */
export const connectionFlows: Runs = {
  async 'change of connection'(client, begin) {
    const [first, second] = merchantNames;
    await client.connect(first);
    const hold = (step: string) => pay(client, step, { capture_method: 'manual' });
    const [held, kept, paid] = [await hold('held'), await hold('kept'), await pay(client, 'paid')];
    begin();
    const request = (step: string, { id }: Answered, path: string, body: object = {}): Asked => ({
      step,
      path: `${payments}/${id}/${path}`,
      body,
      ofAny: false,
    });
    const charge = cardPayment({ reference: `${client.run}-doubtful` });
    let left = await ask(client, [
      { step: 'doubtful', path: payments, body: charge, ofAny: true },
      request('capture', kept, 'capture'),
      request('refund', paid, 'refunds', { amount: 1000 }),
    ]);
    await client.connect(second);
    await client.pass(60_000);
    // The other merchant account would say that there is no such hold or payment.
    await client.once('void elsewhere', `${payments}/${held.id}/void`);
    await client.once('refund elsewhere', `${payments}/${paid.id}/refunds`, { amount: 500 });
    await pay(client, 'other');
    left.push(request('void', held, 'void'));
    for (let round = 0; left.length > 0 && round < maxRounds; round += 1) {
      const isFirst = round % 2 === 1;
      await client.connect(isFirst ? first : second);
      await client.pass(60_000);
      const [now, later] = [
        left.filter(({ ofAny }) => ofAny || isFirst),
        left.filter(({ ofAny }) => !ofAny && !isFirst),
      ];
      left = [...(await ask(client, now)), ...later];
    }
    await client.connect(first);
    // What is refused even now fails here.
    for (const { step, path, body } of left) await client.post(step, path, body);
  },
};
