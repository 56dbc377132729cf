import { ApiError } from '@till/contract';
import { expect, it } from 'vitest';
import { NoLeaderError } from '../store/reach/errors.ts';
import { inProcessDelivery } from './in-process.ts';

const unexpected: unknown[] = [];
const notify = (
  receive: Parameters<typeof inProcessDelivery>[0],
  path = '/processors/b/notifications/acct_1',
) =>
  inProcessDelivery(receive, (error) => unexpected.push(error))({
    method: 'POST',
    url: `https://shop.example${path}`,
    headers: { 'PayPal-Transmission-Id': 't1' },
    body: Buffer.from('{"id":1}'),
  });

it('hands over processor, account, body and headers, whose names are in lower case', async () => {
  const received: unknown[] = [];
  const answer = await notify(async (...delivery) => {
    received.push(delivery);
    return 'receipt';
  });
  expect(received).toEqual([
    ['processor_b', 'acct_1', { headers: { 'paypal-transmission-id': 't1' }, body: Buffer.from('{"id":1}') }],
  ]);
  expect([answer.status, answer.body.toString()]).toEqual([200, 'receipt']);
});

it('answers a refusal with its status', async () => {
  const answer = await notify(() => Promise.reject(new ApiError('invalid_signature', 'No.')));
  expect(answer.status).toBe(401);
  expect(unexpected).toEqual([]);
});

it('answers 503 while the database is away', async () => {
  const answer = await notify(() => Promise.reject(new NoLeaderError('no server takes writes')));
  expect(answer.status).toBe(503);
  expect(unexpected).toEqual([]);
});

it('answers 500 where anything else goes wrong, and reports it', async () => {
  const fault = new Error('a fault of ours');
  expect((await notify(() => Promise.reject(fault))).status).toBe(500);
  expect(unexpected).toEqual([fault]);
});

it.each(['/processors/z/notifications/acct_1', '/processors/b/notifications', '/api/v1/payments'])(
  'answers 404 to %s',
  async (path) => {
    const answer = await notify(() => Promise.reject(new Error('not to be called')), path);
    expect(answer.status).toBe(404);
  },
);
