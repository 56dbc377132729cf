import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyRepository, linkDependencies } from '../support/checkout-of-repository.ts';
import { CleanUp } from '../support/clean-up.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { cleanEnvironment, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { read } from '../support/sources.ts';
import { until } from '../support/until.ts';

/*
 * A third processor consists of its two folders and the changes that CONTRIBUTING.md shows. This test applies
 * exactly these to a copy of the repository, builds it with this repository's tools, and takes payments
 * through the processor.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The changes to one file, as the diff shows them. */
interface Change {
  readonly file: string;
  readonly lines: readonly { readonly mark: string; readonly text: string }[];
}

/** Parses the only diff in CONTRIBUTING.md. */
function shownChanges(): Change[] {
  const [, diff = ''] = /```diff\n([\s\S]*?)```/.exec(read('CONTRIBUTING.md')) ?? [];
  return diff
    .split(/^--- /m)
    .slice(1)
    .map((part) => {
      const [file = '', ...lines] = part.trimEnd().split('\n');
      return { file, lines: lines.map((line) => ({ mark: line.slice(0, 1), text: line.slice(1) })) };
    });
}

/**
 * Applies the changes to a file. Each context line has to occur exactly once, and added lines follow the
 * context line before them.
 */
function changed(text: string, { file, lines }: Change): string {
  const result = text.split('\n');
  let place = -1;
  for (const { mark, text: line } of lines) {
    if (mark === '+') {
      place += 1;
      result.splice(place, 0, line);
      continue;
    }
    place = result.indexOf(line);
    if (place === -1) throw new Error(`${file} has no line: ${line}`);
    if (mark === '-') {
      result.splice(place, 1);
      place -= 1;
    }
  }
  return result.join('\n');
}

/** Copies a folder of this test into the copy, where its import paths are shorter. */
async function install(copy: string, folder: string, among: string): Promise<void> {
  const to = join(copy, among, 'processor-c');
  await cp(join(copy, 'tests/third-processor', folder), to, { recursive: true });
  for (const name of await readdir(to)) {
    const path = join(to, name);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll(`'../../../${among}/`, "'../"));
  }
}

const cleanUp = new CleanUp();
let server: RunningServer;
let shop: Merchant;

describe('a third processor', () => {
  beforeAll(async () => {
    const { path: copy, remove } = await temporaryFolder();
    cleanUp.add(remove);
    await copyRepository(copy);
    await linkDependencies(copy);
    await install(copy, 'adapter', 'packages/server/src/processors');
    await install(copy, 'simulator', 'packages/sandbox/src');
    for (const change of shownChanges()) {
      const path = join(copy, change.file);
      await writeFile(path, changed(await readFile(path, 'utf8'), change));
    }
    const run = promisify(execFile);
    await run('npm', ['run', '--silent', 'build:server'], { cwd: copy, env: cleanEnvironment() });
    // The pages only know a processor by what the server reports, so this repository's built pages are
    // sufficient.
    for (const name of ['checkout', 'dashboard', 'docs']) {
      const built = join('packages', name, 'dist');
      await rm(join(copy, built), { recursive: true, force: true });
      await symlink(join(root, built), join(copy, built));
    }
    const data = await temporaryFolder();
    cleanUp.add(data.remove);
    const script = join(copy, 'serve.mjs');
    await writeFile(script, "process.argv.push('serve');\nawait import('./packages/server/bin/till.js');\n");
    const settings = { DATABASE_URL: await freshDatabase(cleanUp), TILL_DATA_DIR: data.path };
    server = await startServer(settings, script);
    cleanUp.add(() => server.stop('SIGKILL'));
    const create = ['accounts', 'create', '--name', 'Shop', '--processor', 'processor_c', '--json'];
    const { stdout } = await run(process.execPath, [join(copy, 'packages/server/bin/till.js'), ...create], {
      cwd: copy,
      env: { ...cleanEnvironment(), ...server.environment },
    });
    const { id, secret_key: key } = JSON.parse(stdout) as { id: string; secret_key: string };
    shop = new Merchant(id, key, server);
  }, 300_000);
  afterAll(cleanUp.run);

  it('is five lines outside its folders', () => {
    const added = shownChanges().flatMap(({ lines }) => lines.filter(({ mark }) => mark === '+'));
    expect(added).toHaveLength(5);
  });

  it('charges a card, and reports a decline', async () => {
    const paid = await shop.pay();
    expect(paid.body).toMatchObject({ status: 'succeeded', payment_method: { type: 'card', last4: '1111' } });
    const declined = await shop.pay({ payment_method: card('SIM-REFUSED') });
    expect(declined.body).toMatchObject({ status: 'failed', failure: { code: 'insufficient_funds' } });
  });

  it('gives money back at once', async () => {
    const { body: payment } = await shop.pay();
    const refund = await shop.post(`/api/v1/payments/${payment.id}/refunds`, {});
    expect(refund.status).toBe(201);
    await until('the refund has succeeded', async () => {
      const { body } = await shop.get(`/api/v1/refunds/${refund.body.id}`);
      return body.status === 'succeeded';
    });
  });

  it('sends the buyer to the bank and charges what was approved', async () => {
    const { body: waiting } = await shop.pay({ payment_method: card('SIM-CHALLENGE') });
    expect(waiting).toMatchObject({
      status: 'requires_action',
      next_action: {
        type: 'processor_c_redirect',
        redirect_url: expect.stringContaining('/sandbox/processor-c/'),
      },
    });
    const page = await fetch(waiting.next_action.redirect_url);
    expect(page.status).toBe(200);
    const approved = await shop.post(`/api/v1/test_helpers/payments/${waiting.id}/approve`, {
      outcome: 'approved',
    });
    expect(approved.status).toBeLessThan(300);
    const confirmed = await shop.post(`/api/v1/payments/${waiting.id}/confirm`);
    expect(confirmed.body).toMatchObject({ status: 'succeeded' });
  });

  it('refuses what it cannot do, by what it declares', async () => {
    const held = await shop.pay({ capture_method: 'manual' });
    expect(held.body.error).toMatchObject({ code: 'invalid_params', param: 'capture_method' });
    const wallet = await shop.pay({ payment_method: { type: 'card_fields' } });
    expect(wallet.body.error).toMatchObject({ code: 'invalid_params', param: 'payment_method.type' });
  });
});

const card = (holder: string) => ({
  type: 'card',
  number: '4111111111111111',
  exp_month: 3,
  exp_year: 2032,
  cvc: '737',
  holder_name: holder,
});
