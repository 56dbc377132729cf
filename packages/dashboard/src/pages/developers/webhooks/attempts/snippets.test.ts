import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';

type Verify = (headers: Record<string, string>, rawBody: Buffer, secret: string) => boolean;

// The same file that the page shows.
const { isFromTill } = (await import(new URL('./snippets/verify-signature.mjs', import.meta.url).href)) as {
  isFromTill: Verify;
};

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = Buffer.from('{"id":"evt_1","note":"ü"}');

function signed(timestamp: number, key = Buffer.alloc(32, 7)): Record<string, string> {
  const content = Buffer.concat([Buffer.from(`evt_1.${timestamp}.`), body]);
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${createHmac('sha256', key).update(content).digest('base64')}`,
  };
}

it('the code that the page shows accepts authentic messages and rejects forged, changed and old ones', () => {
  const now = Math.floor(Date.now() / 1000);
  expect(isFromTill(signed(now), body, secret)).toBe(true);
  expect(isFromTill(signed(now, Buffer.alloc(32, 8)), body, secret)).toBe(false);
  expect(isFromTill(signed(now), Buffer.from('{}'), secret)).toBe(false);
  expect(isFromTill(signed(now - 3600), body, secret)).toBe(false);
  expect(isFromTill({ ...signed(now), 'webhook-signature': 'v1,AAAA' }, body, secret)).toBe(false);
  const other = signed(now, Buffer.alloc(32, 8))['webhook-signature'];
  const both = { ...signed(now), 'webhook-signature': `${other} ${signed(now)['webhook-signature']}` };
  expect(isFromTill(both, body, secret)).toBe(true);
});
