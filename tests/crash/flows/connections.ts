import { cardPayment } from '../../support/card-payment.ts';
import type { Answered, Client } from '../client.ts';
import { merchantNames } from '../merchants.ts';
import { pay, payments, type Runs } from './flow.ts';

/** The maximum number of times that the connection is switched to the other merchant account and back. */
const maxRounds = 8;

/** A request that is sent once in each round, until it gets a response. */
interface Asked {
  readonly step: string;
  readonly path: string;
  readonly body: object;
  /** Whether any merchant account may execute it: only a new charge. Other objects exist at one merchant account only. */
  readonly ofAny: boolean;
}

/** Sends each request once. @returns those that got no response */
async function ask(client: Client, asked: readonly Asked[]): Promise<Asked[]> {
  const left: Asked[] = [];
  for (const one of asked) {
    if ((await client.once(one.step, one.path, one.body)) === undefined) left.push(one);
  }
  return left;
}

/** Flows in which the connection changes. No object may be sent to the wrong merchant account; each ends where it began. */
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
    // The other merchant account would respond that the hold or payment does not exist.
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
    // With the first merchant account again, every request must succeed.
    for (const { step, path, body } of left) await client.post(step, path, body);
  },
};
