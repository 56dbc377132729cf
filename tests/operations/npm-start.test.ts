import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { dataFolder } from '../support/data-folder.ts';
import { cleanEnvironment } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

const root = fileURLToPath(new URL('../../', import.meta.url));

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** A terminal sends Ctrl-C to its whole process group, and npm forwards signals to its child. */
const ways = [
  ['SIGTERM', (pid: number) => process.kill(pid, 'SIGTERM')],
  ['Ctrl-C', (pid: number) => process.kill(-pid, 'SIGINT')],
] as const;

it.each(ways)('%s to npm start ends the server, drained: port and database are free', async (_name, send) => {
  const folder = await dataFolder(cleanUp);
  // Skips the build step of `npm start`: the tests have built already.
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: root,
    env: { ...cleanEnvironment(), PORT: '0', TILL_METRICS_ADDR: 'off', TILL_DATA_DIR: folder.path },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate process group, so that processes which npm leaves behind can be killed.
    detached: true,
  });
  const { pid } = npm;
  if (pid === undefined) throw new Error('npm does not start');
  cleanUp.add(async () => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process group has ended already.
    }
  });
  const ended = new Promise<number | null>((resolve) => {
    npm.once('exit', (code) => resolve(code));
  });
  let out = '';
  npm.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  const ready = /^ready on http:\/\/127\.0\.0\.1:(\d+)$/m;
  await until('the server is ready', () => ready.test(out), 45_000);
  const port = Number(ready.exec(out)?.[1]);
  expect(await isOpen(port)).toBe(true);
  expect(await folder.databaseProcesses()).not.toEqual([]);

  send(pid);
  expect(await ended).toBe(0);
  await until('the port is free', async () => !(await isOpen(port)));
  await until('the database is down', async () => (await folder.databaseProcesses()).length === 0);
  // No process of the group is left.
  await until('the group is gone', () => {
    try {
      process.kill(-pid, 0);
      return false;
    } catch {
      return true;
    }
  });
});
