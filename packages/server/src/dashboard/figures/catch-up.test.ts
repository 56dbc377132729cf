import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPeopleKit, type PeopleKit } from '../../users/test-kit.ts';
import { findTenant } from '../../vault/test-database.ts';
import { catchUp } from './count.ts';
import { measures } from './measures.ts';
import { readFigures } from './reads.ts';
import { countEvents, takeProgress } from './store.ts';
import { TestData } from './test-data.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

const start = Date.parse('2026-11-20T10:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000);

async function open() {
  const tenant = await findTenant(kit.db, await kit.openAccount());
  return { tenant, data: new TestData(kit.db, tenant) };
}

it('a reader waits for what another one counts at this moment', async () => {
  const { tenant, data } = await open();
  await data.pay({ at: at(0), status: 'succeeded' });
  let read: Promise<boolean> | undefined;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await kit.db.transaction(async (tx) => {
    const known = await takeProgress(tx, tenant, true);
    await new Promise<void>((looked) => {
      const delay = () => {
        looked();
        return ended;
      };
      read = catchUp({ db: kit.db, clock: { delay } }, tenant);
    });
    await countEvents(tx, tenant, { from: 0, to: known?.lastEvent ?? 0 });
  });
  end();
  expect(await read).toBe(true);
  const times = [at(-60), at(60)];
  expect(await readFigures(kit.db, tenant, measures.payments, times)).toMatchObject([{ count: 1 }]);
});

it('a reader waits for a while only, and says that payments are missing', async () => {
  const { tenant, data } = await open();
  await data.pay({ at: at(0), status: 'succeeded' });
  let looks = 0;
  const clock = {
    delay: async () => {
      looks += 1;
    },
  };
  await kit.db.transaction(async (tx) => {
    await takeProgress(tx, tenant, true);
    expect(await catchUp({ db: kit.db, clock }, tenant)).toBe(false);
  });
  expect(looks).toBe(20);
});
