import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runConnections } from '../../tests/support/connections.ts';
import type { Cleanup } from './cleanup.ts';
import { paymentBody, post, type Shop, type Till } from './till.ts';

/**
 * Opens an account whose processor is another process with constant responses (`constant-processor.ts`).
 * @param delayMs the delay of each response
 */
export async function openOutsideAccount(till: Till, cleanup: Cleanup, delayMs = 0): Promise<Shop> {
  const child = fork(fileURLToPath(new URL('../constant-processor.ts', import.meta.url)), [String(delayMs)]);
  cleanup.add(() => void child.kill('SIGKILL'));
  const port = await new Promise<number>((done, failed) => {
    child.once('message', (message: { port: number }) => done(message.port));
    child.once('exit', () => failed(new Error('the constant processor ended')));
  });
  const shop = await till.openAccount('processor_a');
  const credentials = {
    api_key: 'bench',
    merchant_account: 'BenchCOM',
    hmac_key: 'ab'.repeat(32),
    notification_user: 'bench',
    notification_password: 'bench',
  };
  const address = ['--base-url', `http://127.0.0.1:${port}`, '--no-check'];
  const set = await runConnections(till, credentials, 'set', '--account', shop.accountId, ...address);
  if (set.exitCode !== 0) throw new Error(`the connection could not be set: ${set.printed}`);
  await untilInForce(till, shop);
  return shop;
}

/** Waits until the server uses the new connection, which takes up to two seconds. Until then the simulator charges. */
async function untilInForce(till: Till, shop: Shop): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const body = JSON.parse(paymentBody(String(tries))) as object;
    const { id } = await post<{ id: string }>(shop, '/api/v1/payments', String(tries), body);
    const { rows } = await till.db.query('select from sandbox.charges where reference = $1', [id]);
    if (rows.length === 0) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('the connection did not come into force');
}
