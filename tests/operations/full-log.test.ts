import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { freePort } from '../support/free-port.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { cleanEnvironment, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const till = fileURLToPath(new URL('../../till', import.meta.url));
const cleanUp = new CleanUp();
afterAll(cleanUp.run);

/** A device on which every write fails as on a full disk. */
const full = '/dev/full';

async function start(line: string, settings: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const child = spawn('sh', ['-c', `exec '${till}' ${line}`], {
    env: { ...cleanEnvironment(), TILL_DATA_DIR: folder.path, TILL_METRICS_ADDR: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanUp.add(() => void child.kill('SIGKILL'));
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = once(child, 'close').then(([exitCode]: unknown[]) => ({ exitCode, err }));
  return { child, ended };
}

describe.skipIf(!existsSync(full))('where what is printed meets a full disk', () => {
  it.each(['1', '2'])('a server serves all the same, with WEB_CONCURRENCY=%s', async (processes) => {
    const port = String(await freePort());
    const settings = {
      DATABASE_URL: await migratedDatabase(cleanUp),
      PORT: port,
      WEB_CONCURRENCY: processes,
    };
    const { child, ended } = await start(`serve >${full} 2>${full}`, settings);
    await until('the server is ready', async () => {
      expect(child.exitCode).toBeNull();
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(0);
  });

  it('a command fails and says so, without a stack', async () => {
    const { ended } = await start(`--help >${full}`, {});
    expect(await ended).toEqual({
      exitCode: 1,
      err: expect.stringMatching(/^till: standard output cannot be written: ENOSPC: .*\n$/),
    });
  });
});
