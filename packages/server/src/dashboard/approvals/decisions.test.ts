import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApprovalDependencies } from '../../approvals/dependencies.ts';
import { findApproval, insertApproval } from '../../approvals/store.ts';
import { newId } from '../../lib/ids.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { ScopedStatement } from '../../store/scope.ts';
import { createDashboardKit, type DashboardKit } from '../test-kit.ts';
import { approvalDashboardRoutes } from './routes.ts';

let kit: DashboardKit;
/** Runs when a request has passed all checks, right before the decision's statement. */
let beforeDecision: () => Promise<unknown>;
beforeAll(async () => {
  kit = await createDashboardKit();
  const db: Database = {
    ...noting(kit.db),
    async query<Row>(statement: ScopedStatement) {
      if (statement.name === 'decide_approval') await beforeDecision();
      return kit.db.query<Row>(statement);
    },
  };
  const deps = { db, clock: kit.clock, randomBytes, write: JSON.stringify, wake: () => {} };
  approvalDashboardRoutes(kit.api, deps as unknown as ApprovalDependencies);
});
afterAll(() => kit.drop());

/** Adds a payment link that waits for approval. @returns the id of its approval */
async function asked(account: string): Promise<string> {
  const now = kit.clock.now();
  const id = newId('apr', now, randomBytes);
  const { tenant } = await kit.tenant(account);
  const event = { id: newId('evt', now, randomBytes), type: 'approval.created' } as const;
  await insertApproval(
    kit.db,
    {
      tenant,
      id,
      status: 'pending',
      action: 'payment_link',
      payment_id: null,
      amount: 5000,
      currency: 'EUR',
      request: { link: { title: 'Course', currency: 'EUR', amount: 5000 } },
      requested_by: 'key_1',
      requester_email: null,
      decided_by: null,
      reason: null,
      result_id: null,
      failure_code: null,
      failure_message: null,
      run_at: null,
      runs: 0,
      created_at: now,
      expires_at: new Date(now.getTime() + 3_600_000),
      decided_at: null,
    },
    { claim: null, event: { ...event, sequence: 1, created: now, object: '{}' }, mails: [], entry: null },
  );
  return id;
}

/** The statements of each transaction, in order. */
const transactions: string[][] = [];
const noting = (db: Database): Database => ({
  ...db,
  transaction: (work) =>
    db.transaction((tx) => {
      const sent: string[] = [];
      transactions.push(sent);
      const listening: Queryable = {
        query: <Row>(statement: ScopedStatement) => {
          sent.push(statement.text);
          return tx.query<Row>(statement);
        },
      };
      return work(listening);
    }),
});

it.each(['approve', 'refuse'])('whose role changes before the commit does not %s', async (move) => {
  const account = await kit.openAccount();
  const admin = await kit.signIn(account, 'admin');
  const id = await asked(account);
  beforeDecision = () =>
    kit.db.query({
      text: `update memberships set role = 'viewer' where account_id = $1 and user_id = $2`,
      values: [account, admin.user.id],
      scope: { accountId: account },
    });
  const body = { reason: 'No' };
  const answer = await admin.call('POST', `/accounts/${account}/approvals/${id}/${move}`, { body });
  expect(answer.status).toBe(409);
  expect(await findApproval(kit.db, await kit.tenant(account), id)).toMatchObject({ status: 'pending' });
  expect(await kit.audit(account)).toEqual([]);
});

it('a decision keeps no other event of the account waiting: nothing more is sent before it is committed', async () => {
  beforeDecision = async () => {};
  const account = await kit.openAccount();
  const owner = await kit.signIn(account, 'owner');
  const id = await asked(account);
  const refused = await owner.call('POST', `/accounts/${account}/approvals/${id}/refuse`, {
    body: { reason: 'No' },
  });
  expect([refused.status, refused.body.status]).toEqual([200, 'refused']);
  expect(await kit.audit(account)).toMatchObject([
    { action: 'approval.refused', email: owner.user.email, object_id: id, after: { reason: 'No' } },
  ]);
  const after = transactions.map((sent) =>
    sent.slice(sent.findIndex((text) => /insert into events/.test(text))),
  );
  expect(after.filter((sent) => sent.length > 1)).toEqual([]);
});
