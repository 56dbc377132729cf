import { spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../lib/files/durable-files.ts';
import { errorCode, exists } from '../../lib/files/lookup.ts';
import { SERVER_ENVIRONMENT } from './configuration.ts';
import { type Account, namedAccount, spawnAs } from './files/account.ts';
import { markInitialised, type Place } from './files/place.ts';
import { chownTree, syncTree } from './files/trees.ts';

const PROGRAM_MS = 300_000;
const LEFTOVER = /^(postgres|postgres-binaries|postgres\.json|postgresql\.conf|pg_hba\.conf)\.new-\w+$/;

/** Removes the unfinished files of starts that were killed. Call it only while holding the start lock. */
export async function removeLeftovers(place: Place): Promise<void> {
  for (const folder of new Set([place.dataDir, place.home, place.cluster])) {
    const names = (await exists(folder)) ? await readdir(folder) : [];
    for (const name of names) if (LEFTOVER.test(name)) await removeLeftover(join(folder, name));
  }
}

async function removeLeftover(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    // An initdb that outlived its parent may still write there; the next start removes it.
    if (errorCode(error) !== 'ENOTEMPTY') throw error;
  }
}

/** Creates the cluster with its empty database `till`, either completely or not at all. */
export async function createCluster(
  place: Place,
  native: string,
  account: Account | undefined,
): Promise<void> {
  const work = await mkdtemp(`${place.cluster}.new-`);
  try {
    const fresh = join(work, 'cluster');
    const passwordFile = join(work, 'password');
    // initdb looks up the name of its account, and the server's account has none, so a named account runs initdb.
    const builder = account ? namedAccount() : undefined;
    await mkdir(fresh, { mode: 0o700 });
    await writeFile(passwordFile, `${place.password}\n`, { mode: 0o600 });
    if (builder) {
      await chmod(work, 0o711);
      await chown(fresh, builder.uid, builder.gid);
      await chown(passwordFile, builder.uid, builder.gid);
    }
    await initialise(native, fresh, passwordFile, builder);
    if (account) await chownTree(fresh, account);
    await syncTree(fresh);
    await putInPlace(fresh, place);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5 });
  }
  await markInitialised(place);
}

async function initialise(
  native: string,
  fresh: string,
  passwordFile: string,
  builder: Account | undefined,
): Promise<void> {
  const initdb = ['-D', fresh, '-U', 'till', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  initdb.push('--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  // The caller syncs the whole folder once, before it becomes visible.
  initdb.push('--no-sync', '--no-instructions');
  await run(join(native, 'bin', 'initdb'), initdb, builder, '');
  const single = ['--single', '-F', '-D', fresh, 'template1'];
  const output = await run(
    join(native, 'bin', 'postgres'),
    single,
    builder,
    'CREATE DATABASE till OWNER till;\n',
  );
  // A failed statement does not make single-user mode exit with an error.
  if (/\b(ERROR|FATAL|PANIC):/.test(output)) throw new Error(`the database could not be created:\n${output}`);
}

async function putInPlace(fresh: string, place: Place): Promise<void> {
  try {
    await rename(fresh, place.cluster);
  } catch (error) {
    // Another process was faster. Its password is the same, because that was stored before.
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '') || !(await exists(place.cluster))) {
      throw error;
    }
  }
  await syncPath(place.home);
}

/** Runs a PostgreSQL program until it exits and returns its output. */
function run(command: string, args: string[], account: Account | undefined, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...spawnAs(account),
      cwd: '/',
      env: SERVER_ENVIRONMENT,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: PROGRAM_MS,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', (error) => reject(new Error(`${command} did not start: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} failed (${code ?? signal}):\n${output.trim()}`));
    });
    // A program that dies early breaks the pipe; its exit code is what counts.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
