import { execFileSync } from 'node:child_process';
import { access, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { copyRepository, linkDependencies } from '../support/checkout-of-repository.ts';
import { CleanUp } from '../support/clean-up.ts';
import { endDatabase } from '../support/end-database.ts';
import { freePort } from '../support/free-port.ts';
import { differs, fitsText, lastObject, readGuide } from '../support/guide.ts';
import { cleanEnvironment, temporaryFolder } from '../support/server.ts';
import { Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

/*
 * Follows docs/guides/quickstart.md as a reader does, from an empty folder, with every command as printed. Two things differ
 * unless TILL_QUICKSTART=install: the ports, since those of the guide may be taken, and `npm ci`, which is replaced by links to
 * the installed packages, so that the test needs no network.
 */
const installs = process.env.TILL_QUICKSTART === 'install';

/** The machine's share of the guide's "about ten minutes". */
const chargedWithinMs = 5 * 60_000;

const cleanUp = new CleanUp();
afterAll(cleanUp.run, 120_000);

const hasCurl = () => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const prelude = `curl() { command curl -w '\\n%{stderr}status %{http_code}\\n' "$@"; }`;
const linked = 'npm() { [ "$1" = ci ] || command npm "$@"; }';

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces the ports of a command or program of the guide with free ports. */
  readonly here: (text: string) => string;
}

async function emptyPlace(): Promise<Place> {
  const { path: folder, remove } = await temporaryFolder();
  cleanUp.add(remove);
  // The embedded database runs as a separate user, who needs access.
  await chmod(folder, 0o755);
  cleanUp.add(() => endDatabase(join(folder, '.till')));
  await copyRepository(folder);
  if (!installs) await linkDependencies(folder);
  const [port, receiverPort] = [await freePort(), await freePort()];
  return {
    folder,
    port,
    environment: { ...cleanEnvironment(), PORT: String(port), TILL_METRICS_ADDR: 'off' },
    here: (text) =>
      text
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
        .replaceAll('localhost:3000', `localhost:${receiverPort}`)
        .replaceAll('listen(3000)', `listen(${receiverPort})`),
  };
}

/** Runs the commands of the second terminal in order, and compares each response with the one in the guide. */
async function followSteps(place: Place, terminal: Terminal, began: number) {
  const took: Record<string, number> = {};
  const [, ...steps] = readGuide('quickstart').steps;
  expect(steps.length).toBeGreaterThan(5);
  for (const step of steps) {
    const { out, err, exitCode } = await terminal.run(place.here(step.command));
    expect(exitCode, `${step.command}\n${err}`).toBe(0);
    if (step.answer !== undefined) {
      expect(differs(JSON.parse(place.here(step.answer)), lastObject(out)), step.command).toBeUndefined();
    }
    const status = /status (\d+)\s*$/.exec(err)?.[1];
    if (step.status !== undefined) expect(Number(status), step.command).toBe(step.status);
    const line = step.says?.trim();
    if (line !== undefined) {
      await until(line, () => terminal.screen.split('\n').some((said) => fitsText(line, said)));
      took.verified = Date.now() - began;
    }
    if (took.charged === undefined && lastObject(out)?.status === 'succeeded') {
      took.charged = Date.now() - began;
      // The guide says "Repeat the same command. The same bytes come back". Its next step shows that the ledger has one charge.
      expect((await terminal.run(place.here(step.command))).out).toBe(out);
    }
  }
  return took;
}

describe('the quickstart', () => {
  it.runIf(hasCurl())(
    'leads from an empty folder to a charge, a verified webhook and a refund',
    async () => {
      const place = await emptyPlace();
      const began = Date.now();
      const first = new Terminal(place.folder, place.environment, installs ? '' : linked);
      cleanUp.add(() => first.close());
      first.start(`${readGuide('quickstart').steps[0]?.command ?? ''}\necho "ended with $?"`);
      const settled = /^(ready on|ended with) /m;
      await until('the server is ready', () => settled.test(first.screen), chargedWithinMs);
      expect(first.screen).toContain(`ready on http://127.0.0.1:${place.port}`);
      const ready = Date.now() - began;

      const second = new Terminal(place.folder, place.environment, prelude);
      cleanUp.add(() => second.close());
      const { charged = Number.NaN, verified = Number.NaN } = await followSteps(place, second, began);
      const seconds = [ready, charged, verified].map((ms) => (ms / 1000).toFixed(1));
      process.stdout.write(
        `quickstart: ready after ${seconds[0]} s, charged after ${seconds[1]} s, webhook verified after ${seconds[2]} s\n`,
      );
      expect(charged).toBeLessThan(chargedWithinMs);

      // The guide's Node.js code is a separate program. The receiver gets its events too.
      await writeFile(join(place.folder, 'shop.mjs'), readGuide('quickstart').program);
      const program = await second.run(`TILL_BASE_URL=http://127.0.0.1:${place.port} node shop.mjs`);
      expect(program.exitCode, program.err).toBe(0);
      expect(program.out).toMatch(/^The payment has succeeded$/m);
      expect(program.out).toMatch(/^Declined: do_not_honor$/m);
      expect(program.out).toMatch(/^Send the buyer to http\S+\/checkout\/pay\/\S+$/m);
      expect(program.out).toMatch(/^The refund is pending$/m);
      const printed = /^verified: payment\.succeeded pay_/m;
      await until('the receiver verified the second charge', () => printed.test(second.screen));
      await second.close();

      await first.close('SIGINT');
      await expect(access(join(place.folder, '.till'))).resolves.toBeUndefined();
    },
    2 * chargedWithinMs,
  );
});
