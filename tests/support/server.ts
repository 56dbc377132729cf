import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownServers } from './documented/own-servers.ts';
import { until } from './until.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = join(root, 'packages/server/bin/till.js');
const startMs = 45_000;

export interface RunningServer {
  readonly baseUrl: string;
  /** The environment in which commands find this server's database. */
  readonly environment: Readonly<Record<string, string>>;
  readonly process: ChildProcess;
  /** Returns everything printed on standard output and standard error so far. */
  readonly printed: () => { out: string; err: string };
  /**
   * Sends a signal and waits until the server has exited.
   * @returns the exit code
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Returns the environment without any settings of Till, so that a developer's shell cannot influence the
 * tests.
 */
export function cleanEnvironment(): Record<string, string> {
  const own =
    /^(TILL_|OTEL_|HOST$|PORT$|BASE_URL$|DATABASE_URL$|TRUST_PROXY$|WEB_CONCURRENCY$|NODE_OPTIONS$|VITEST|NODE_ENV$)/;
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.filter(([name]) => !own.test(name)));
}

/** Stores a server's output for the search at the end of all tests (`global-setup.ts`). */
function keepOutput(out: string, err: string): void {
  const folder = process.env.TILL_TEST_OUTPUTS;
  if (folder === undefined || !existsSync(folder)) return;
  // The first start prints an API key to charge a test card with.
  writeFileSync(join(folder, randomUUID()), out.includes('Charge a test card') ? err : `${out}${err}`);
}

/**
 * Starts the built server on a free port and waits for its `ready on` line. Rejects with its output if it
 * exits before that.
 * @param script a program to run instead, with an IPC channel
 * @param options of the command `serve`
 */
export async function startServer(
  settings: Readonly<Record<string, string>> = {},
  script?: string,
  options: readonly string[] = [],
): Promise<RunningServer> {
  const environment = { PORT: '0', TILL_METRICS_ADDR: 'off', ...settings };
  const child = spawn(process.execPath, script === undefined ? [bin, 'serve', ...options] : [script], {
    cwd: root,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe', ...(script === undefined ? [] : (['ipc'] as const))],
  });
  let out = '';
  let err = '';
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const line = /^ready (?:on|in) (\S+|the background)$/m.exec(out);
      if (line?.[1] !== undefined) resolve(line[1]);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.once('error', reject);
    void ended.then((code) => reject(new Error(`the server ended with ${code}\n${out}\n${err}`)));
    void ended.then(() => keepOutput(out, err));
  });
  // A server that never becomes ready must not outlive the test.
  const timer = setTimeout(() => child.kill('SIGKILL'), startMs);
  void Promise.allSettled([ready]).then(() => clearTimeout(timer));
  const baseUrl = await ready;
  if (baseUrl.startsWith('http')) ownServers.add(new URL(baseUrl).origin);
  return {
    baseUrl,
    environment,
    process: child,
    printed: () => ({ out, err }),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

export interface CommandResult {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `till …` like an operator: in a separate process, with the server's environment. */
export function runProcess(
  environment: Readonly<Record<string, string>>,
  parameters: readonly string[],
): Promise<CommandResult> {
  return startProcess(environment, parameters).ended;
}

/** Like `runProcess`, but does not wait until the command has ended. */
export function startProcess(
  environment: Readonly<Record<string, string>>,
  parameters: readonly string[],
): { readonly process: ChildProcess; readonly ended: Promise<CommandResult> } {
  const child = spawn(process.execPath, [bin, ...parameters], {
    cwd: root,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = new Promise<CommandResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, out, err }));
  });
  return { process: child, ended };
}

/**
 * Runs `till …` in the process that hosts commands for all tests (`command-host.ts`). It is the same program,
 * without the half second that a separate process needs to load it.
 */
export async function runCommand(
  environment: Readonly<Record<string, string>>,
  parameters: readonly string[],
): Promise<CommandResult> {
  const host = process.env.TILL_TEST_COMMANDS;
  if (host === undefined) return runProcess(environment, parameters);
  const answer = await fetch(host, {
    method: 'POST',
    body: JSON.stringify({ environment: { ...cleanEnvironment(), ...environment }, parameters }),
  });
  if (!answer.ok) throw new Error(`till ${parameters.join(' ')}: ${await answer.text()}`);
  return (await answer.json()) as CommandResult;
}

/** Runs a command with `--json` and parses its output. Rejects if the command fails. */
export async function commandJson<T>(
  environment: Readonly<Record<string, string>>,
  parameters: readonly string[],
): Promise<T> {
  const result = await runCommand(environment, [...parameters, '--json']);
  if (result.exitCode !== 0) throw new Error(`till ${parameters.join(' ')}: ${result.out}${result.err}`);
  return JSON.parse(result.out) as T;
}

/**
 * Creates an empty folder for a server's data. `remove` stops a database that still runs on it and deletes
 * the folder.
 */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(process.env.TILL_TEST_FOLDERS ?? tmpdir(), 'till-test-'));
  return {
    path,
    async remove() {
      await endDatabaseIn(path);
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Stops the database of a killed server, which would otherwise continue to write into the folder. */
async function endDatabaseIn(path: string): Promise<void> {
  const file = await readFile(join(path, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(file, 10);
  if (Number.isNaN(pid)) return;
  const send = (signal: NodeJS.Signals | 0) => {
    try {
      return process.kill(pid, signal);
    } catch {
      return false;
    }
  };
  if (send('SIGQUIT')) await until('the database has ended', async () => !send(0));
}
