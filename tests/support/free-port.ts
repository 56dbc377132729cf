import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives to outgoing connections and for port 0. */
const [lowest, highest] = [20_000, 32_000];

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => void once(probe.close(), 'close').then(() => resolve(true)));
  });

/** A port on which another process can listen later: meanwhile nobody gets it by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
}
