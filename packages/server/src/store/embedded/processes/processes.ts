import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, readIfThere } from '../files/files.ts';
import type { Cluster } from '../files/place.ts';

/** What a running postmaster says of itself in `postmaster.pid`. */
export interface PidFile {
  readonly text: string;
  /** NaN in a file that a crash left empty. */
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

/** The pid file, if its process really is a postgres of this cluster. */
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

/** When a process began, in ticks since the machine did; undefined where it is gone or the system keeps it to itself. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name stands in parentheses and may hold anything, spaces too.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** What is written down of a process: its number, which is given again, and when it began. */
export function markOf(pid: number): string {
  const start = startOf(pid);
  return start === undefined ? String(pid) : `${pid}.${start}`;
}

/** Whether the process of a mark is gone, or was an earlier one with our number, as the next one of a container has. */
export function hasEnded(mark: string): boolean {
  const [number, start] = mark.split('.');
  const pid = Number(number);
  if (pid === process.pid || !isAlive(pid)) return true;
  const startNow = startOf(pid);
  return start !== undefined && startNow !== undefined && start !== startNow;
}

/** Whether the process is a postgres that works on this cluster. */
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

/** By /proc. A zombie has no working directory, so it does not count; nobody may ever collect it in a container. */
function belongs(place: Cluster, pid: number): boolean {
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'postgres') return false;
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return folder === place.cluster || folder === `${place.cluster} (deleted)`;
  } catch (error) {
    // Root in a container lacks CAP_SYS_PTRACE, without which others' working directories are hidden.
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
    // An exit code, not a failure to run: `ps -p` of a process that has just gone.
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return [];
    throw error;
  }
}

/** The postmaster keeps its command line; its children carry the cluster's name as their title. */
function isOurCommand(place: Cluster, command: string): boolean {
  return command.includes(`postgres -D ${place.cluster} `) || command.startsWith(`postgres: ${place.name}: `);
}
