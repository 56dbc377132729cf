import { randomBytes } from 'node:crypto';
import type { PaymentLinkUpdate } from '@till/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../store/database.ts';
import { auditEntry } from '../users/audit/audit.ts';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { createLinks } from './feature.ts';
import { createPaymentLink, type LinkDependencies, updatePaymentLink } from './payment-links.ts';
import type { LinkRow } from './row.ts';

const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Creates a link in a database that calls `before` right before each statement with this name. */
async function openLink(name: string, before: (id: string) => Promise<unknown>) {
  const { db } = database;
  const tenant = await database.openTenant();
  let id = '';
  const interrupted: Queryable = {
    async query(statement) {
      if (statement.name === name) await before(id);
      return db.query(statement);
    },
  };
  const links: LinkDependencies = createLinks({
    db: interrupted,
    clock,
    randomBytes,
    publicAddress: () => 'https://till.example',
    write: (link) => JSON.stringify(link),
    onEvent: () => {},
  });
  const context = { ...tenant, now: clock.now() };
  const entry = (_before: LinkRow | null, after: LinkRow) =>
    auditEntry(
      { clock, randomBytes },
      {
        ...tenant,
        actor: { type: 'operator' },
        action: 'payment_link.updated',
        objectId: after.id,
        before: null,
        after: { title: after.title },
        ip: null,
      },
    );
  const request = { title: 'Course', amount: 5000, currency: 'EUR' };
  id = (await createPaymentLink(links, context, request, { claim: null }))?.link.id ?? '';
  const change = (update: PaymentLinkUpdate) => updatePaymentLink(links, context, id, update, { entry });
  const rename = (title: string) => change({ title });
  const read = async <Row>(text: string) =>
    db.query<Row>({ text, values: [tenant.tenant, id], scope: tenant });
  return { db, tenant, id, change, rename, read };
}

const eventsOf = `select object::json ->> 'title' as title, (object::json ->> 'payments_count')::int as payments
  from events where tenant = $1 and object_id = $2 and type = 'payment_link.updated'`;
const entriesOf = 'select after from audit_log where tenant = $1 and object_id = $2';

it('a change at the moment of a payment is made of the link as the payment left it, once', async () => {
  let payments = 1;
  const link = await openLink('update_payment_link', async (id) => {
    if (payments > 0) {
      payments -= 1;
      await database.db.query({
        text: 'update payment_links set payments_count = payments_count + 1 where id = $1',
        values: [id],
        scope: 'everybody',
      });
    }
  });
  const after = await link.rename('Barista course');
  expect(after).toMatchObject({ title: 'Barista course', payments_count: 1, event_count: 2 });
  expect(await link.read(eventsOf)).toEqual([{ title: 'Barista course', payments: 1 }]);
  expect(await link.read(entriesOf)).toEqual([{ after: { title: 'Barista course' } }]);
});

it('a change keeps no payment of the link waiting before it is written', async () => {
  const link = await openLink('update_payment_link', (id) =>
    // A payment's commit takes the same lock. If the change held one, this would fail.
    database.db.query({
      text: 'select 1 from payment_links where id = $1 for update nowait',
      values: [id],
      scope: 'everybody',
    }),
  );
  expect(await link.rename('Barista course')).toMatchObject({ title: 'Barista course' });
});

it('a link that is changed by others each time is not changed', async () => {
  const link = await openLink('update_payment_link', (id) =>
    database.db.query({
      text: 'update payment_links set open_count = open_count + 1 where id = $1',
      values: [id],
      scope: 'everybody',
    }),
  );
  await expect(link.rename('Barista course')).rejects.toThrow('changed by others');
  expect(await link.read(eventsOf)).toEqual([]);
  expect(await link.read(entriesOf)).toEqual([]);
});

it('a change is written if a value differs at all, and only then', async () => {
  const link = await openLink('', async () => {});
  const end = '2099-01-01T00:00:00.100Z';
  const changes = [{ description: 'null' }, { expires_at: end }, { expires_at: end.replace('.100', '.200') }];
  for (const change of changes) {
    const { event_count: before } = await link.change({});
    expect((await link.change(change)).event_count).toBe(before + 1);
    expect((await link.change(change)).event_count).toBe(before + 1);
  }
  expect(await link.change({ description: null })).toMatchObject({
    description: null,
    expires_at: new Date('2099-01-01T00:00:00.200Z'),
  });
});
