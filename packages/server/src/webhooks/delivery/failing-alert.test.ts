import { expect, it } from 'vitest';
import { noteFailing } from '../endpoints/notice-store.ts';
import { noticeMail, notifyOwners } from '../endpoints/notices.ts';
import { hour, minute, useSender } from '../test-sender.ts';

const at = useSender();

it('an endpoint of which half of the attempts fail is reported once, and again after an hour without a failure', async () => {
  let answered = 0;
  at().receiver.answer = (_request, response) => {
    answered += 1;
    response.writeHead(answered % 2 === 0 ? 200 : 500).end();
  };
  const one = await at().shop();
  const mails: string[] = [];
  const report = async () => {
    const { db } = at().deps;
    await noteFailing(db, at().clock.now());
    await notifyOwners({
      db,
      clock: at().clock,
      onTrouble: () => {},
      queueMail: async (endpoint) => void mails.push(noticeMail(endpoint).subject),
    });
    return mails.length;
  };
  at().start();
  const attempts = async (count: number) => {
    await at().write(one, count);
    await at().settled(one);
  };
  // Nine attempts say nothing.
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
