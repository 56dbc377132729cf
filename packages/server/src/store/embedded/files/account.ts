import { readFileSync, type Stats } from 'node:fs';
import { chmod, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A user account of the operating system. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Runs the server if Till runs as root, which postgres refuses. Neither Debian nor systemd assigns ids in this range. */
export const SERVER_ACCOUNT: Account = { uid: 65521, gid: 65521 };

/** The account of this process. */
export function ourselves(): Account {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

export function isRoot(): boolean {
  return ourselves().uid === 0;
}

function passwd(): string[][] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 7 && !fields[0]?.startsWith('#'));
}

/** An unprivileged account that has a name, for initdb, which looks up the name of its account. */
export function namedAccount(): Account {
  const accounts = passwd().filter((fields) => Number(fields[2]) !== 0);
  const found = accounts.find((fields) => fields[0] === 'nobody') ?? accounts[0];
  if (!found) throw new Error('/etc/passwd names no account but root; PostgreSQL cannot be set up as root');
  // macOS lists the ids of nobody as -2, but chown expects unsigned numbers.
  return { uid: Number(found[2]) >>> 0, gid: Number(found[3]) >>> 0 };
}

/** The account as options of `spawn`, which expects 32-bit signed numbers. */
export function spawnAs(account: Account | undefined): { uid?: number; gid?: number } {
  return account ? { uid: account.uid | 0, gid: account.gid | 0 } : {};
}

const BITS = { read: 0o4, enter: 0o5, pass: 0o1 };

/** Whether the permission bits let an account read a file, list and enter a folder, or pass through a folder. */
export function allows(stats: Stats, account: Account, what: keyof typeof BITS): boolean {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0;
  return ((stats.mode >> shift) & BITS[what]) === BITS[what];
}

/** The first folder on the way to `path`, itself included, that the account may not pass through. */
export async function barrier(path: string, account: Account): Promise<string | undefined> {
  const parent = dirname(path);
  const above = parent === path ? undefined : await barrier(parent, account);
  if (above) return above;
  return allows(await stat(path), account, 'pass') ? undefined : path;
}

/**
 * Like `barrier`, but if the only folder in the way is `folder` itself, owned by root and nobody's home folder, first lets every
 * account pass through it (not list it).
 */
export async function openBarrier(folder: string, account: Account): Promise<string | undefined> {
  const first = await barrier(folder, account);
  if (first !== folder) return first;
  const { uid, mode } = await stat(folder);
  if (uid !== 0 || passwd().some((fields) => fields[5] === folder)) return first;
  await chmod(folder, (mode & 0o7777) | 0o011);
  return undefined;
}

/** Whether the account may read every file and list every folder below `folder`. */
export async function canReadTree(folder: string, account: Account): Promise<boolean> {
  if (!allows(await stat(folder), account, 'enter')) return false;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!(await canReadTree(path, account))) return false;
    } else if (entry.isFile()) {
      const stats = await stat(path);
      if (!allows(stats, account, (stats.mode & 0o100) !== 0 ? 'enter' : 'read')) return false;
    }
  }
  return true;
}
