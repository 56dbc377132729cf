import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPlace } from '../../packages/server/src/store/embedded/files/place.ts';
import {
  runningPostmaster,
  serverProcesses,
} from '../../packages/server/src/store/embedded/processes/processes.ts';
import type { CleanUp } from './clean-up.ts';
import { endDatabase } from './end-database.ts';
import { type RunningServer, startServer, temporaryFolder } from './server.ts';

/** A data folder with the embedded PostgreSQL of the servers started on it. */
export interface DataFolder {
  readonly path: string;
  /** Starts a server on the folder. The clean-up stops it at the latest. */
  start(settings?: Readonly<Record<string, string>>, script?: string): Promise<RunningServer>;
  /** Returns the ids of all its PostgreSQL processes, including the postmaster. */
  databaseProcesses(): Promise<number[]>;
  /** Returns the postmaster's process id. Rejects if none is running. */
  postmaster(): Promise<number>;
  /** Path of the file in which the next postmaster finds the process id of the current one. */
  pidFile(): Promise<string>;
  /** Returns the contents of all its log files. */
  logs(): Promise<string>;
}

/**
 * Creates a data folder. `cleanUp` stops what runs on it and removes it.
 * @param within a parent folder that the caller removes, for example a separate disk
 */
export async function dataFolder(cleanUp: CleanUp, within?: string): Promise<DataFolder> {
  const { path, remove } =
    within === undefined ? await temporaryFolder() : { path: join(within, 'data'), remove: async () => {} };
  const servers: RunningServer[] = [];
  const place = async () => {
    const found = await findPlace(path);
    if (found === undefined) throw new Error(`no server was ever started on ${path}`);
    return found;
  };
  cleanUp.add(async () => {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')));
    await endDatabase(path);
    await remove();
  });
  return {
    path,
    async start(settings = {}, script) {
      const server = await startServer({ TILL_DATA_DIR: path, ...settings }, script);
      servers.push(server);
      return server;
    },
    databaseProcesses: async () => serverProcesses(await place()),
    async postmaster() {
      const running = await runningPostmaster(await place());
      if (running === undefined) throw new Error(`no database runs on ${path}`);
      return running.pid;
    },
    pidFile: async () => join((await place()).cluster, 'postmaster.pid'),
    async logs() {
      const names = (await readdir(path)).filter((name) => name.includes('.log'));
      return (await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))).join('\n');
    },
  };
}
