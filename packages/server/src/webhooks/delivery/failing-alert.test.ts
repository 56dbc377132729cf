import { expect, it } from 'vitest';
import { updateEndpoint } from '../endpoints/endpoints.ts';
import { noteFailing } from '../endpoints/notice-store.ts';
import { noticeMail, notifyOwners } from '../endpoints/notices.ts';
import { hour, minute, useSender } from '../test-sender.ts';

const at = useSender();

function reporting() {
  const mails: string[] = [];
  /** @returns how many mails have been written so far */
  const report = async () => {
    const { db } = at().deps;
    await noteFailing(db, at().clock.now());
    await notifyOwners({
      db,
      clock: at().clock,
      onIncident: () => {},
      queueMail: async (endpoint) => void mails.push(noticeMail(endpoint).subject),
    });
    return mails.length;
  };
  return { mails, report };
}

it('an endpoint of which half of the attempts fail is reported once, and again after an hour without a failure', async () => {
  let answered = 0;
  at().receiver.answer = (_request, response) => {
    answered += 1;
    response.writeHead(answered % 2 === 0 ? 200 : 500).end();
  };
  const one = await at().shop();
  const { mails, report } = reporting();
  at().start();
  const attempts = async (count: number) => {
    await at().write(one, count);
    await at().settled(one);
  };
  // Nine attempts are too few for a notice.
  await attempts(9);
  expect(await report()).toBe(0);
  await attempts(9);
  expect(await report()).toBe(1);
  await attempts(9);
  at().clock.move(50 * minute);
  await attempts(9);
  expect(await report()).toBe(1);
  expect(mails).toEqual(['A webhook endpoint fails']);
  at().accept();
  at().clock.move(hour + minute);
  await attempts(9);
  expect(await report()).toBe(1);
  at().refuse();
  await attempts(30);
  expect(await report()).toBe(2);
});

it('an endpoint with another address is reported for what comes from that one alone', async () => {
  const one = await at().shop();
  const { report } = reporting();
  const attempts = async (count: number) => {
    await at().write(one, count);
    await at().settled(one);
  };
  at().refuse();
  at().start();
  await attempts(12);
  const moved = { url: `${at().receiver.url}/moved` };
  await updateEndpoint(at().deps, one.accountId, one.endpointId, moved);
  expect(await report()).toBe(0);
  at().accept();
  await attempts(4);
  at().refuse();
  await attempts(4);
  expect(await report()).toBe(0);
  await attempts(4);
  expect(await report()).toBe(1);
});

it('a change that names the address as it is leaves an endpoint failing', async () => {
  const one = await at().shop();
  at().refuse();
  at().start();
  await at().write(one);
  await at().settled(one);
  const since = at().clock.now();
  const same = { url: at().receiver.url, name: 'Orders' };
  expect(await updateEndpoint(at().deps, one.accountId, one.endpointId, same)).toMatchObject({
    first_failure_at: since,
  });
  const moved = { url: `${at().receiver.url}/moved` };
  expect(await updateEndpoint(at().deps, one.accountId, one.endpointId, moved)).toMatchObject({
    first_failure_at: null,
  });
});
