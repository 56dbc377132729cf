import { type ChildProcess, spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../lib/files/lookup.ts';
import { SERVER_ENVIRONMENT, writeConfiguration } from './configuration.ts';
import { type Account, spawnAs } from './files/account.ts';
import type { Place } from './files/place.ts';
import { readPidFile, runningPostmaster } from './processes/processes.ts';
import { chooseSocketFolder, prepareSocketFolder } from './processes/sockets.ts';
import { poll } from './processes/wait.ts';

const START_MS = 30_000;
const RECOVERY_MS = 60_000;
const END_MS = 20_000;
const LARGE_LOG = 16 * 1024 * 1024;
const TAIL_BYTES = 4_096;
const TAIL_LINES = 15;

interface LaunchOptions {
  readonly native: string;
  readonly account: Account | undefined;
  readonly socketFolder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Starts a postmaster and waits until it is ready. Returns undefined if another postmaster was faster. */
export async function launch(
  place: Place,
  options: LaunchOptions,
): Promise<{ pid: number; socketFolder: string } | undefined> {
  const { account } = options;
  const socketFolder = options.socketFolder ?? (await chooseSocketFolder(place, account));
  await prepareSocketFolder(socketFolder, account);
  await writeConfiguration(place, socketFolder, account);
  const logStart = await rotateLog(place.logFile);
  const { child, ended } = await spawnPostmaster(place, options);
  const outcome = await waitUntilReady(place, child, ended, logStart, options.signal);
  if (outcome.kind === 'ready') return { pid: outcome.pid, socketFolder };
  if (outcome.kind === 'ended' && (await runningPostmaster(place))) return undefined;
  throw new Error(await failure(place, outcome, logStart));
}

type Outcome =
  | { kind: 'ready'; pid: number }
  | { kind: 'ended'; reason: string }
  | { kind: 'slow' }
  | { kind: 'recovering' };

interface Postmaster {
  child: ChildProcess;
  /** Why the process ended or failed to start; undefined while it runs. */
  ended: () => string | undefined;
}

async function spawnPostmaster(place: Place, options: LaunchOptions): Promise<Postmaster> {
  const log = await open(place.logFile, 'a', 0o600);
  try {
    // Detached and with its own log, so that it survives Ctrl-C and the end of this process.
    const child = spawn(join(options.native, 'bin', 'postgres'), ['-D', place.cluster], {
      ...spawnAs(options.account),
      cwd: '/',
      env: SERVER_ENVIRONMENT,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    let reason: string | undefined;
    child.once('error', (error) => {
      reason = error.message;
    });
    child.once('exit', (code, signal) => {
      reason ??= `it exited with ${code ?? signal}`;
    });
    child.unref();
    return { child, ended: () => reason };
  } finally {
    await log.close();
  }
}

async function waitUntilReady(
  place: Place,
  child: ChildProcess,
  ended: () => string | undefined,
  logStart: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const probe = async (): Promise<Outcome | undefined> => {
    const reason = ended();
    if (reason !== undefined) return { kind: 'ended', reason };
    const file = await readPidFile(place);
    const ready = file !== undefined && file.pid === child.pid && file.status === 'ready';
    return ready ? { kind: 'ready', pid: file.pid } : undefined;
  };
  try {
    const soon = await poll(probe, { timeoutMs: START_MS, signal });
    if (soon) return soon;
    if (!/interrupted|recovery|redo/.test(await logSince(place.logFile, logStart))) {
      await end(child, ended, 'SIGQUIT');
      return { kind: 'slow' };
    }
    const later = await poll(probe, { timeoutMs: RECOVERY_MS - START_MS, signal });
    // If stopped now, recovery would start over at the next start. If left alone, it finishes by then.
    return later ?? { kind: 'recovering' };
  } catch (error) {
    await end(child, ended, 'SIGINT');
    throw error;
  }
}

async function end(child: ChildProcess, ended: () => string | undefined, how: NodeJS.Signals): Promise<void> {
  child.kill(how);
  await poll(ended, { timeoutMs: END_MS });
}

async function failure(place: Place, outcome: Outcome, logStart: number): Promise<string> {
  const lines = (await logSince(place.logFile, logStart)).trim().split('\n').slice(-TAIL_LINES);
  const what = {
    ready: 'started',
    ended: `did not start: ${outcome.kind === 'ended' ? outcome.reason : ''}`,
    slow: `was not ready after ${START_MS / 1000} s`,
    recovering: `is still recovering after ${RECOVERY_MS / 1000} s, and goes on: start again later`,
  }[outcome.kind];
  return `the database in ${place.cluster} ${what}\n${place.logFile} ends with:\n${lines.join('\n')}`;
}

/** Renames the log if it is large. @returns the length of the current log */
async function rotateLog(path: string): Promise<number> {
  try {
    const { size } = await stat(path);
    if (size < LARGE_LOG) return size;
    await rename(path, `${path}.1`);
    return 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

async function logSince(path: string, start: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const from = Math.max(start, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
