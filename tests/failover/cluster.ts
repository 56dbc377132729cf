import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CleanUp } from '../support/clean-up.ts';
import { until } from '../support/until.ts';

const script = fileURLToPath(new URL('../../deploy/patroni/on-one-machine', import.meta.url));
const run = promisify(execFile);
const timeoutMs = 180_000;

/** The reason why the cluster cannot run on this machine; null if it can. */
export function whyNot(): string | null {
  try {
    execFileSync(
      'sh',
      ['-c', 'command -v patroni && command -v etcd && ls /usr/lib/postgresql/*/bin/postgres'],
      {
        stdio: 'pipe',
      },
    );
    return null;
  } catch {
    return "Debian's packages patroni, python3-etcd, etcd-server and postgresql are not installed";
  }
}

export interface Member {
  /** 1, 2 or 3, as in `patroni1`, `pg1` and the port. */
  readonly number: number;
  readonly role: string;
  readonly state: string;
}

const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Three PostgreSQL servers managed by Patroni, which `deploy/patroni/on-one-machine` starts. */
export class Cluster {
  readonly url: string;
  readonly port: number;
  readonly #folder: string;

  private constructor(folder: string, port: number, url: string) {
    this.#folder = folder;
    this.port = port;
    this.url = url;
  }

  static async start(cleanUp: CleanUp, port: number): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'till-patroni-'));
    cleanUp.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    cleanUp.add(() => run(script, ['down', folder]));
    const { stdout } = await run(script, ['up', folder, String(port)]);
    return new Cluster(folder, port, /DATABASE_URL='(.*)'/.exec(stdout)?.[1] ?? '');
  }

  /** Copies the logs of Patroni, PostgreSQL and etcd. */
  async keepLogs(into: string): Promise<void> {
    await mkdir(into, { recursive: true });
    const names = await readdir(this.#folder);
    for (const name of names.filter((one) => one.endsWith('.log'))) {
      await copyFile(join(this.#folder, name), join(into, name));
    }
  }

  async members(): Promise<Member[]> {
    const { stdout } = await run(script, ['ctl', this.#folder, 'list', '-f', 'json']);
    const rows = JSON.parse(stdout) as { Member: string; Role: string; State: string }[];
    return rows.map((row) => ({
      number: Number(row.Member.slice(-1)),
      role: row.Role,
      state: row.State,
    }));
  }

  async memberWith(role: 'Leader' | 'Sync Standby'): Promise<number> {
    const found = await until(
      `there is a ${role}`,
      async () => (await this.members()).find((member) => member.role === role && member.state === 'running'),
      timeoutMs,
    );
    return found.number;
  }

  /** Waits until all three members run again, with one leader and one synchronous standby. */
  async isWhole(): Promise<void> {
    await until(
      'the cluster is whole',
      async () => {
        const members = await this.members().catch(() => []);
        const running = members.filter(({ state }) => state === 'running' || state === 'streaming');
        return (
          running.length === 3 &&
          ['Leader', 'Sync Standby'].every((role) => running.some((one) => one.role === role))
        );
      },
      timeoutMs,
    );
  }

  async switchover(): Promise<void> {
    await run(script, ['ctl', this.#folder, 'switchover', '--force']);
  }

  /** Restarts a part, such as `patroni2`. */
  async start(name: string): Promise<void> {
    await run(script, ['start', this.#folder, name]);
  }

  async postmaster(number: number): Promise<number> {
    return Number.parseInt(await readFile(join(this.#folder, `pg${number}`, 'postmaster.pid'), 'utf8'), 10);
  }

  async part(name: string): Promise<number> {
    return Number(await readFile(join(this.#folder, `${name}.pid`), 'utf8'));
  }

  async kill(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await until('it is gone', async () => !isThere(pid));
  }

  /** Freezes or resumes a machine: its etcd, its Patroni, its PostgreSQL and all their child processes. */
  async hold(number: number, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const roots = [
      await this.part(`etcd${number}`),
      await this.part(`patroni${number}`),
      await this.postmaster(number),
    ];
    const pids = new Set(roots);
    // The second round finds children that were started during the first.
    for (let round = 0; round < 2; round += 1) {
      for (const root of roots) {
        for (const pid of childrenOf(root)) pids.add(pid);
      }
      for (const pid of pids) if (isThere(pid)) process.kill(pid, signal);
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    const out = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)])
      .toString()
      .trim();
    return out === '' ? [] : out.split(/\s+/).map(Number);
  } catch {
    return [];
  }
}
