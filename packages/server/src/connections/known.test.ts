import { expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import type { Statement } from '../store/scope.ts';
import { KnownConnections } from './known.ts';

/** A table of one row with a revision that the test sets, and a vault that decrypts what the test allows. */
function world() {
  const state = { revision: 1, isThere: true, opens: true, away: false, opened: 0 };
  const row = () => ({
    tenant: 2,
    accountId: 'acct_1',
    livemode: true,
    base_url: 'https://upstream.example',
    disputes_url: 'https://upstream.example',
    secrets: Buffer.from('sealed'),
    key_version: 1,
    revision: state.revision,
    updated_at: new Date(0),
  });
  const query = async <Row>(_statement: Statement): Promise<Row[]> => {
    if (state.away) throw new Error('the database is away');
    return (state.isThere ? [row()] : []) as Row[];
  };
  const unused = () => {
    throw new Error('not needed here');
  };
  const db: Database = { query, transaction: unused, session: unused, inUse: () => 0, close: unused };
  const vault = {
    open: async () => {
      state.opened += 1;
      if (!state.opens) throw new Error('sealed for another place');
      return JSON.stringify({ apiKey: `key ${state.revision}` });
    },
    seal: unused,
  };
  const incidents: string[] = [];
  const known = new KnownConnections({ db, vault }, (accountId) => incidents.push(accountId));
  const key = () => known.find('acct_1', true)?.credentials.apiKey;
  return { state, known, key, incidents };
}

it('opens a connection once, and again when it was changed', async () => {
  const { state, known, key } = world();
  expect(key()).toBeUndefined();
  await known.refresh();
  await known.refresh();
  expect([key(), state.opened]).toEqual(['key 1', 1]);
  expect(known.find('acct_1', false)).toBeUndefined();
  state.revision = 2;
  await known.refresh();
  expect([key(), state.opened]).toEqual(['key 2', 2]);
  state.isThere = false;
  await known.refresh();
  expect(key()).toBeUndefined();
});

it('keeps what it knew while the database is away', async () => {
  const { state, known, key } = world();
  await known.refresh();
  state.away = true;
  await expect(known.refresh()).rejects.toThrow('away');
  expect(key()).toBe('key 1');
});

it('takes no change over that does not open, and reports it once', async () => {
  const { state, known, key, incidents } = world();
  await known.refresh();
  Object.assign(state, { revision: 2, opens: false });
  await known.refresh();
  await known.refresh();
  expect(key()).toBe('key 1');
  expect(incidents).toEqual(['acct_1']);
  state.opens = true;
  await known.refresh();
  expect(key()).toBe('key 2');
});
