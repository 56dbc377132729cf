import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportOf } from '../../settlements/test-kit.ts';
import { createPaymentsKit, type PaymentsKit } from '../payments/test-kit.ts';

let kit: PaymentsKit;
beforeAll(async () => {
  kit = await createPaymentsKit();
});
afterAll(() => kit.drop());

/** Opens an account whose owner imports the report of a batch. The file name is given as the form's header has it. */
async function openImporter() {
  const account = await kit.openAccount();
  await kit.db.query({
    text: `update accounts set processor = 'processor_a' where account_id = $1`,
    values: [account],
    scope: 'everybody',
  });
  const { call } = await kit.signIn(account, 'owner');
  const payment = await kit.addPayment(account);
  await kit.db.query({
    text: `update payments set processor_identity = 'test:Shop' where id = $1`,
    values: [payment],
    scope: 'everybody',
  });
  const sends = (batch = 7, name = 'filename="report.csv"') =>
    call('POST', `/accounts/${account}/payouts/import`, {
      headers: { 'content-type': 'multipart/form-data; boundary=X' },
      payload: [
        '--X',
        `content-disposition: form-data; name="report"; ${name}`,
        'content-type: text/csv',
        '',
        reportOf(batch, 'PSP1'),
        '--X--',
        '',
      ].join('\r\n'),
    });
  const payouts = async () => (await call('GET', `/accounts/${account}/payouts`)).body.total_count;
  return { account, sends, payouts };
}

it('a report whose entry in the audit log cannot be written is not imported', async () => {
  const { account, sends, payouts } = await openImporter();
  const refuses = `alter table audit_log add constraint full_log check (action <> 'settlement_report.imported') not valid`;
  await kit.db.query({ text: refuses, scope: 'everybody' });
  expect((await sends()).status).toBe(500);
  expect(await payouts()).toBe(0);
  await kit.db.query({ text: 'alter table audit_log drop constraint full_log', scope: 'everybody' });
  expect((await sends()).body).toMatchObject({ payouts: 1, repeated: false });
  expect(await payouts()).toBe(1);
  expect((await kit.audit(account)).map(({ action }) => action)).toEqual(['settlement_report.imported']);
});

it.each([
  [`filename*=utf-8''a%00b.csv`, 'a b.csv'],
  [`filename*=utf-8''C%3A%5Creports%5Cnovember.csv`, 'november.csv'],
  [`filename="${'n'.repeat(300)}"`, 'n'.repeat(255)],
  ['filename=""', 'file'],
])('a report whose name is sent as %s is imported', async (name, kept) => {
  const { account, sends } = await openImporter();
  expect((await sends(8, name)).body).toMatchObject({ payouts: 1, lines: 1 });
  expect(await kit.audit(account)).toMatchObject([{ after: { file: kept } }]);
});
