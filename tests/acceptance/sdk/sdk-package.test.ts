import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { freePort } from '../../support/free-port.ts';
import { Merchant, target } from '../../support/merchant.ts';
import { readmeExamples, SdkProject, withNodeTypes } from './sdk-project.ts';

const cleanUp = new CleanUp();
let project: SdkProject;
beforeAll(async () => {
  project = await SdkProject.create(cleanUp);
});
afterAll(cleanUp.run);

/** The option that makes Node refuse to `require` ES modules, if this version of Node has it. */
const noRequireModule = () =>
  process.allowedNodeEnvironmentFlags.has('--no-experimental-require-module')
    ? '--no-experimental-require-module'
    : '';

/** The exports of the package that exist at run time. */
const values = [
  'ApiError',
  'AuthenticationError',
  'ConnectionError',
  'IdempotencyError',
  'InvalidRequestError',
  'ProviderError',
  'RateLimitError',
  'SignatureVerificationError',
  'Till',
  'TillError',
  'ValidationError',
  'isApproval',
  'isDeclined',
  'webhooks',
];

describe('the packed package', () => {
  it('holds the code, its types, sources, README and licence, and no test', async () => {
    const files = [...(await project.installed()).keys()];
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'src/index.ts']));
    expect(files).toEqual(expect.arrayContaining(['dist/cjs/index.js', 'dist/cjs/index.d.ts']));
    const code =
      /^(dist\/[\w/-]+\.(js|d\.ts|js\.map)|dist\/cjs\/package\.json|src\/[\w/-]+\.ts|LICENSE|README\.md|package\.json)$/;
    expect(files.filter((path) => !code.test(path))).toEqual([]);
    expect(files.filter((path) => /\.test\.|\/test-/.test(path))).toEqual([]);
  });

  it('imports its own files only', async () => {
    const files = await project.installed();
    const manifest = JSON.parse(files.get('package.json') ?? '');
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
    const statement = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*['"]([^'"]+)['"]/g;
    const imported = [...files]
      .filter(([path]) => /\.(js|ts)$/.test(path))
      .flatMap(([, text]) => [...text.matchAll(statement)].map(([, specifier]) => specifier));
    expect(imported.length).toBeGreaterThan(50);
    expect(imported.filter((specifier) => !/^\.{1,2}\/[\w/-]+\.(js|ts)$/.test(specifier ?? ''))).toEqual([]);
    const all = [...files].filter(([, text]) => text.includes('@till/contract'));
    expect(all.map(([path]) => path)).toEqual([]);
  });

  it('is imported by an ES module', async () => {
    const names = 'process.stdout.write(Object.keys(await import("@till/node")).join())';
    await project.write('names.js', names);
    expect((await project.run('names.js')).trim().split(',').sort()).toEqual(values);
  });

  it('is required by a CommonJS module, also by a Node that requires no ES module', async () => {
    const names = 'process.stdout.write(Object.keys(require("@till/node")).join())';
    await project.write('names.cjs', names);
    const printed = (await project.run('names.cjs', { NODE_OPTIONS: noRequireModule() })).trim();
    expect(printed.split(',').sort()).toEqual(values);
  });

  it('exports existing files and types for each way of loading it', async () => {
    const files = await project.installed();
    const manifest = JSON.parse(files.get('package.json') ?? '');
    const { import: imported, require: required } = manifest.exports['.'];
    const named = [imported.types, imported.default, required.types, required.default, manifest.main];
    for (const path of [...named, manifest.module, manifest.types])
      expect([...files.keys()]).toContain(path.replace('./', ''));
    // `types` comes first, because a compiler takes the first condition that it knows.
    for (const way of [imported, required]) expect(Object.keys(way)).toEqual(['types', 'default']);
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      sideEffects: false,
      engines: { node: expect.stringMatching(/^>=/) },
      description: expect.stringMatching(/\S/),
      keywords: expect.arrayContaining(['payments']),
    });
  });
});

describe('its types', () => {
  const program = `
    import { type Approval, isApproval, isDeclined, type Payment, type PaymentLink, type Refund, Till, type TillEvent, ValidationError, webhooks } from "@till/node";

    const till = new Till({ apiKey: 'sk_test_x', baseUrl: 'http://127.0.0.1:8080' });
    export async function pay(reference: string | undefined): Promise<string> {
      const payment: Payment = await till.payments.create({
        amount: 1, currency: 'EUR', reference, customer: { email: 'a@shop.example' },
        payment_method: { type: 'card_fields' },
      });
      if (isDeclined(payment)) return payment.failure.code;
      for await (const refund of till.refunds.list(payment.id)) return refund.status;
      const page = await till.customers.list({ email: 'a@shop.example' });
      return page.data[0]?.billing_address?.city ?? payment.status;
    }
    export async function ask(): Promise<string[]> {
      const refund: Refund | Approval = await till.refunds.create('pay_1');
      const captured: Payment | Approval = await till.payments.capture('pay_1');
      const link = await till.paymentLinks.create<PaymentLink | Approval>({ title: 'Mug', currency: 'EUR', amount: 1 });
      return [
        isApproval(refund) ? refund.requested_by : refund.payment,
        isApproval(captured) ? captured.expires_at : captured.payment_method.type,
        isApproval(link) ? link.action : link.url,
        (await till.refunds.create('pay_1')).payment,
        (await till.payments.capture('pay_1')).payment_method.type,
        (await till.paymentLinks.create({ title: 'Mug', currency: 'EUR', amount: 1 })).url,
      ];
    }
    export function amountOf(event: TillEvent): number {
      if (event.type === 'payment.succeeded' || event.type === 'refund.failed') return event.data.object.amount;
      return event.type === 'dispute.created' ? Date.parse(event.data.object.raised_at) : 0;
    }
    export const read = (body: string, headers: Headers) => webhooks.verify(body, headers, ['a', 'b']);
    export const field = (error: unknown) => error instanceof ValidationError
      ? error.type satisfies 'validation_error' : undefined;

    // @ts-expect-error a required field is missing
    void till.payments.create({ currency: 'EUR' });
    // @ts-expect-error no such status
    void till.payments.list({ status: 'paid' });
    // @ts-expect-error the failure may be null
    export const code = (payment: Payment) => payment.failure.code;
    // @ts-expect-error needs an address of the server
    export const nowhere = new Till({ apiKey: 'sk_test_x' });
  `;

  it.each([
    ['with nothing else installed', {}],
    ['with the types of Node', withNodeTypes],
    ['for a bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('hold a program to the contract, %s', async (_what, options) => {
    await project.write('shop.ts', program);
    expect(await project.compile('shop.ts', options)).toBe('');
  });

  it.each(['nodenext', 'node16', 'node18', 'node20'])(
    'hold a CommonJS program to the contract, as module %s',
    async (module) => {
      const options = { module, moduleResolution: module === 'nodenext' ? module : 'node16' };
      await project.write('shop.cts', program);
      expect(await project.compile('shop.cts', options)).toBe('');
      await project.write(
        'required.cts',
        `import till = require('@till/node');
         const { Till, isDeclined } = till;
         export const pay = async (): Promise<till.Payment> =>
           new Till({ apiKey: 'sk_test_x', baseUrl: 'http://127.0.0.1' }).payments.retrieve('pay_x');
         void pay().then((payment) => process.stdout.write(String(isDeclined(payment))), () => {});
         process.stdout.write(typeof Till);`,
      );
      expect(await project.compile('required.cts', { ...options, ...withNodeTypes })).toBe('');
    },
  );

  it('lead a CommonJS program to code that runs', async () => {
    await project.write('run.cts', 'import { Till } from "@till/node";\nprocess.stdout.write(Till.name);\n');
    expect(await project.compile('run.cts', withNodeTypes)).toBe('');
    expect(await project.run('run.cjs')).toBe('Till');
  });
});

describe('a browser', () => {
  it.each([
    ['page', { window: { document: {} } }],
    ['worker', { importScripts: () => {} }],
    [
      'page with a stand-in for process',
      { window: { document: {} }, process: { versions: { node: '20.0.0' } } },
    ],
  ])('is refused in a %s with a message, in every bundle format', async (_what, scope) => {
    await project.write(
      'page.js',
      `import { Till, webhooks } from "@till/node";
       const attempt = (act) => { try { act(); return 'ran'; } catch (error) { return error.message; } };
       globalThis.outcome = [
         attempt(() => new Till({ apiKey: 'sk_test_x', baseUrl: 'https://pay.example' })),
         attempt(() => webhooks.sign('{}', 'whsec_AAAA', { id: 'evt_1' })),
       ];`,
    );
    const { outputFiles } = await build({
      entryPoints: [project.path('page.js')],
      bundle: true,
      platform: 'browser',
      write: false,
    });
    const context = createContext({ URL, TextEncoder, ...scope }) as { outcome?: string[] };
    runInContext(outputFiles[0]?.text ?? '', context);
    const refusal = expect.stringContaining('@till/node runs on your server only');
    expect(context.outcome).toEqual([refusal, refusal]);
  });
});

describe('the README', () => {
  it('has examples that compile and run in order', async () => {
    const shop = await Merchant.open();
    const examples = await readmeExamples(project);
    expect(examples).toHaveLength(8);
    await project.write('readme.ts', [...examples, 'server.close();\n'].join('\n'));
    expect(await project.compile('readme.ts', withNodeTypes)).toBe('');
    const printed = await project.run('readme.js', {
      TILL_API_KEY: shop.key,
      TILL_BASE_URL: target().baseUrl,
      TILL_WEBHOOK_SECRET: `whsec_${Buffer.from('a secret for this test').toString('base64')}`,
      PORT: String(await freePort()),
    });
    expect(printed.trimEnd().split('\n')).toEqual([
      'The payment has succeeded',
      'The refund is pending',
      '1 of 1 payments',
      expect.stringMatching(/^pay_\w+: 4990 EUR$/),
      'email: invalid_params',
      'Charged once: true',
      'Paid: 4990',
      'Your handler answered 204',
      expect.stringMatching(/^For this account it is \d{4}-\d\d-\d\dT[\d:]+Z$/),
    ]);
    const { charges, refunds } = await shop.ledger();
    expect(charges.map(({ amount }) => amount).sort()).toEqual([1500, 4990]);
    expect(refunds.map(({ amount }) => amount)).toEqual([990]);
  });
});
