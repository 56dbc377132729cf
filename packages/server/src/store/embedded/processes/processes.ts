import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, readIfThere } from '../../../lib/files/lookup.ts';
import type { Cluster } from '../files/place.ts';

/** The content of `postmaster.pid`, in which a running postmaster describes itself. */
export interface PidFile {
  readonly text: string;
  /** NaN if a crash left the file empty. */
  readonly pid: number;
  readonly socketFolder: string;
  /** `starting`, `ready`, `stopping`. */
  readonly status: string;
}

export function pidFilePath(place: Cluster): string {
  return join(place.cluster, 'postmaster.pid');
}

export async function readPidFile(place: Cluster): Promise<PidFile | undefined> {
  const text = await readIfThere(pidFilePath(place));
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return {
    text,
    pid: Number.parseInt(lines[0] ?? '', 10),
    socketFolder: lines[4] ?? '',
    status: lines[7]?.trim() ?? '',
  };
}

/** The pid file, if its process is really a postgres of this cluster; else undefined. */
export async function runningPostmaster(place: Cluster): Promise<PidFile | undefined> {
  const file = await readPidFile(place);
  return file && (await isServer(place, file.pid)) ? file : undefined;
}

/** Whether a process exists, zombies included. */
export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** The start time of a process, in clock ticks since boot; undefined if the process is gone or the system hides it. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in parentheses and may contain any character, spaces included.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** A mark that identifies a process: its pid, which the system reuses, and its start time. */
export function processMarkOf(pid: number): string {
  const start = startOf(pid);
  return start === undefined ? String(pid) : `${pid}.${start}`;
}

/** Whether the process of a mark is gone. In a container our own pid may also be that of the previous process. */
export function processHasEnded(mark: string): boolean {
  const [number, start] = mark.split('.');
  const pid = Number(number);
  if (pid === process.pid || !isAlive(pid)) return true;
  const startNow = startOf(pid);
  return start !== undefined && startNow !== undefined && start !== startNow;
}

/** Whether the process is a postgres process of this cluster. */
export async function isServer(place: Cluster, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') return belongs(place, pid);
  return (await listByPs(place, ['-p', String(pid)])).includes(pid);
}

/** Every process of this cluster: a postmaster, its backends, or the orphans of one that was killed. */
export async function serverProcesses(place: Cluster): Promise<number[]> {
  if (process.platform !== 'linux') return listByPs(place, ['-ax']);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => belongs(place, pid));
}

/** Looks in /proc. A zombie has no working directory, so it does not count; in a container nobody may ever reap it. */
function belongs(place: Cluster, pid: number): boolean {
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'postgres') return false;
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return folder === place.cluster || folder === `${place.cluster} (deleted)`;
  } catch (error) {
    // Root in a container lacks CAP_SYS_PTRACE, and so cannot read the working directories of other users' processes.
    return errorCode(error) === 'EACCES' && belongsByTitle(place, pid);
  }
}

function belongsByTitle(place: Cluster, pid: number): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return isOurCommand(place, command);
  } catch {
    return false;
  }
}

async function listByPs(place: Cluster, selection: string[]): Promise<number[]> {
  try {
    const { stdout } = await promisify(execFile)('ps', [...selection, '-ww', '-o', 'pid=,command='], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout
      .split('\n')
      .map((line) => /^\s*(\d+) (.*)$/.exec(line))
      .filter((match) => match !== null && isOurCommand(place, `${match[2]} `))
      .map((match) => Number(match?.[1]));
  } catch (error) {
    // A numeric exit code, not a failure to run `ps`: the process of `ps -p` has just ended.
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return [];
    throw error;
  }
}

/** The postmaster keeps its command line; the titles of its children contain the cluster's name. */
function isOurCommand(place: Cluster, command: string): boolean {
  return command.includes(`postgres -D ${place.cluster} `) || command.startsWith(`postgres: ${place.name}: `);
}
