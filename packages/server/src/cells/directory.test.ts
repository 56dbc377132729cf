import { beforeEach, expect, it } from 'vitest';
import type { Queryable } from '../store/database.ts';
import { Directory } from './directory.ts';

const hash = Buffer.from('aa', 'hex');
/** The answer of the home database for the account. */
let home: { revision: number; cell: string };
/** Releases the answers that are held back. */
let onTheirWay: (() => void)[];
let holds: boolean;

const database: Queryable = {
  async query<Row>({ name, values = [] }: { readonly name?: string; readonly values?: readonly unknown[] }) {
    const { revision, cell } = home;
    const row =
      name === 'find_cell_keys'
        ? { hash, accountId: 'acct_1', cell, revision }
        : {
            revision,
            cells: 3,
            held: [],
            moved: revision > Number(values[0]) ? [{ account: 'acct_1', cell }] : [],
          };
    if (holds) await new Promise<void>((resolve) => onTheirWay.push(resolve));
    return [row] as Row[];
  },
};

let directory: Directory;
beforeEach(async () => {
  home = { revision: 1, cell: 'east' };
  onTheirWay = [];
  holds = false;
  directory = new Directory(() => database);
  await directory.refresh();
});

/** Starts work whose query home executes now but answers only at `arrive`. */
async function overtaken(work: () => unknown) {
  holds = true;
  const result = work();
  await expect.poll(() => onTheirWay.length).toBe(1);
  holds = false;
  return {
    async arrive() {
      for (const go of onTheirWay.splice(0)) go();
      await result;
    },
  };
}

it.each([
  ['a key that was looked up', () => directory.accountOfKey(hash)],
  ['a look', () => directory.refresh()],
])(
  '%s before an account moved, and is answered after that was read, changes nothing',
  async (_what, work) => {
    const late = await overtaken(work);
    home = { revision: 2, cell: 'west' };
    await directory.refresh();
    await late.arrive();
    await directory.refresh();
    expect(directory.cellOfAccount('acct_1')).toBe('west');
  },
);

it('changes that a new leader of the home database has not got are taken back', async () => {
  home = { revision: 3, cell: 'west' };
  await directory.refresh();
  home = { revision: 1, cell: 'east' };
  await directory.refresh();
  expect(directory.cellOfAccount('acct_1')).toBe('east');
  home = { revision: 2, cell: 'west' };
  await directory.refresh();
  expect(directory.cellOfAccount('acct_1')).toBe('west');
});

it('where home does not answer, look-ups of keys are refused once 2,000 wait, and keys that were met are not', async () => {
  await directory.accountOfKey(hash);
  holds = true;
  const waiting = Array.from({ length: 2_000 }, async (_, n) =>
    directory.accountOfKey(Buffer.from(`key ${n}`)),
  );
  await expect.poll(() => onTheirWay.length).toBe(1);
  await expect(directory.accountOfKey(Buffer.from('one more'))).rejects.toMatchObject({
    code: 'service_unavailable',
    retryAfterSeconds: 2,
  });
  expect(directory.accountOfKey(hash)).toBe('acct_1');
  holds = false;
  for (const go of onTheirWay.splice(0)) go();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
  expect(await directory.accountOfKey(Buffer.from('one more'))).toBe(null);
});
