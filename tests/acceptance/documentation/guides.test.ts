import { execFile, execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import {
  differs,
  type Guide,
  type GuideStep,
  guideNames,
  lastObject,
  readGuide,
} from '../../support/guide.ts';
import { Merchant } from '../../support/merchant.ts';
import { cleanEnvironment, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { Terminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { SdkProject, withNodeTypes } from '../sdk/sdk-project.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
let project: SdkProject;

/** A test in tests/operations runs the quickstart from an empty folder. */
const guides = guideNames.filter((name) => name !== 'quickstart').map(readGuide);

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  [server, project] = await Promise.all([
    migratedDatabase(cleanUp).then((url) =>
      startServer({
        DATABASE_URL: url,
        TILL_DATA_DIR: folder.path,
        TILL_PROCESSOR_TIMEOUT_MS: '2000',
        TILL_DISPUTES_API: 'on',
        TILL_LIVE_SIMULATION: 'on',
      }),
    ),
    SdkProject.create(cleanUp),
  ]);
  cleanUp.add(() => server.stop());
}, 120_000);
afterAll(cleanUp.run);

const has = (program: string) => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const commandLine = fileURLToPath(new URL('../../../till', import.meta.url));

/** Makes each request print its status on standard error. */
const prelude = `curl() { command curl -w '\\n%{stderr}status %{http_code}\\n' "$@"; }`;

/** Variables that a reader fills with ids from responses, and the members that contain these ids. */
const variables: readonly (readonly [name: string, member: string, prefix: string])[] = [
  ['PAYMENT', 'id', 'pay_'],
  ['REFUND', 'id', 're_'],
  ['LINK', 'id', 'pl_'],
  ['DISPUTE', 'id', 'dsp_'],
  ['FILE', 'id', 'file_'],
  ['CUSTOMER', 'id', 'cus_'],
  ['CUSTOMER', 'customer', 'cus_'],
  ['METHOD', 'payment_method_id', 'pm_'],
];

async function keepIds(terminal: Terminal, answer: Record<string, unknown> | undefined): Promise<void> {
  for (const [name, member, prefix] of variables) {
    const value = answer?.[member];
    if (typeof value === 'string' && value.startsWith(prefix)) await terminal.run(`export ${name}=${value}`);
  }
}

/**
 * Whether a step only reads. Such a step may be retried, because its result may settle a moment later; any other step
 * is run once.
 */
const onlyReads = ({ command }: GuideStep) => !/ -(d|X|F) |till /.test(command);

async function follow(terminal: Terminal, step: GuideStep): Promise<void> {
  const attempt = async () => {
    const { out, err, exitCode } = await terminal.run(step.command);
    const answer = lastObject(out);
    const status = /status (\d+)\s*$/.exec(err)?.[1];
    const difference = step.answer === undefined ? undefined : differs(JSON.parse(step.answer), answer);
    return { answer, status: status === undefined ? undefined : Number(status), difference, exitCode, err };
  };
  const first = await attempt();
  const done =
    first.difference === undefined || !onlyReads(step)
      ? first
      : await until(`${step.command} answers ${step.answer}`, async () => {
          const again = await attempt();
          return again.difference === undefined && again;
        });
  expect(done.exitCode, done.err).toBe(0);
  expect(done.difference, step.command).toBeUndefined();
  if (step.status !== undefined) expect(done.status, step.command).toBe(step.status);
  await keepIds(terminal, done.answer);
}

async function followAll(guide: Guide): Promise<void> {
  const shop = await Merchant.openAt(server, guide.processor);
  const folder = await temporaryFolder();
  // A reader runs the command in the repository.
  await symlink(commandLine, join(folder.path, 'till'));
  const terminal = new Terminal(
    folder.path,
    {
      ...cleanEnvironment(),
      ...server.environment,
      TILL: `${server.baseUrl}/api/v1`,
      KEY: shop.key,
      ACCOUNT: shop.id,
    },
    prelude,
  );
  try {
    for (const step of guide.steps) await follow(terminal, step);
  } finally {
    await terminal.close();
    await folder.remove();
  }
}

describe('the commands of a guide', () => {
  it.runIf(has('curl')).each(guides)('$name: work as printed, with the printed answers', followAll);
});

describe('the SDK examples of a guide', () => {
  const written = guides.filter(({ program }) => program !== '');
  /** Statements that are appended to programs that would otherwise never end. */
  const endings: Readonly<Record<string, string>> = { webhooks: 'server.close();' };

  it('compile', async () => {
    expect(written.length).toBeGreaterThan(5);
    for (const { name, program } of written) {
      await project.write(`${name}.ts`, `${program}\n${endings[name] ?? ''}\n`);
    }
    await project.write('all.ts', written.map(({ name }) => `import './${name}.js';\n`).join(''));
    expect(await project.compile('all.ts', withNodeTypes)).toBe('');
  });

  it.each(written)('$name: run', async ({ name, processor }) => {
    const shop = await Merchant.openAt(server, processor);
    await project.run(`${name}.js`, { KEY: shop.key, TILL_BASE_URL: server.baseUrl, PORT: '0' });
  });
});

describe('verifying by hand', () => {
  const { others } = readGuide('webhooks');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = '{"id":"evt_1","type":"payment.succeeded"}';

  const signed = async (): Promise<Record<string, string>> =>
    (await project.load()).webhooks.sign(body, secret, { id: 'evt_1' });

  it('in JavaScript accepts valid signatures only', async () => {
    await project.write('verify.mjs', others.js ?? '');
    const { isFromTill } = await import(project.path('verify.mjs'));
    const headers = await signed();
    expect(isFromTill(headers, Buffer.from(body), secret)).toBe(true);
    expect(isFromTill(headers, Buffer.from(`${body} `), secret)).toBe(false);
    expect(isFromTill({ ...headers, 'webhook-timestamp': '1' }, Buffer.from(body), secret)).toBe(false);
  });

  it('in Python accepts valid signatures only', async (context) => {
    if (!has('python3')) context.skip('python3 is not installed');
    const calls = `
import json, sys
headers, body, secret = json.loads(sys.argv[1]), sys.argv[2].encode(), sys.argv[3]
print(is_from_till(headers, body, secret), is_from_till(headers, body + b" ", secret))
`;
    await project.write('verify.py', `${others.py ?? ''}${calls}`);
    const file = join(project.folder, 'verify.py');
    const { stdout } = await promisify(execFile)('python3', [
      file,
      JSON.stringify(await signed()),
      body,
      secret,
    ]);
    expect(stdout.trim()).toBe('True False');
  });
});
