import { describe, expect, it } from 'vitest';
import { packageRules } from './support/package-rules.ts';
import {
  builtPackages,
  importsOf,
  isTestCode,
  manifestOf,
  npmPackage,
  packageNames,
  packageSources,
  placeOf,
  productionSources,
  testSources,
} from './support/sources.ts';

/*
 * The allowed imports. A name is a folder of packages/server/src, or a file in it without its extension;
 * `contract` and `sandbox` are the packages. Anything not listed is forbidden. Tests and fixtures are exempt,
 * except from the rules under "every file".
 */
const foundation = ['store', 'contract', 'lib'];
/** What all features may import. */
const common = [...foundation, 'events', 'idempotency', 'jobs'];
const ownAccount = ['accounts', 'api-keys', 'users', 'customers', 'payment-methods'];
const payment = [...common, ...ownAccount, 'operations', 'processors/port', 'processors/registry'];
const features = [
  ...ownAccount,
  'payment-alerts',
  'payment-links',
  'payments',
  'refunds',
  'approvals',
  'disputes',
  'settlements',
  'card-testing',
  'checkout',
  'events',
  'idempotency',
  'webhooks',
  'mail',
  'request-logs',
];
const everything = ['*'];

const server: Readonly<Record<string, readonly string[]>> = {
  lib: ['contract/currencies'],
  store: ['lib'],
  config: ['lib'],
  // It knows the request's tenant, but reads none of its data.
  http: ['contract', 'lib', 'store/tenant'],
  docs: ['contract', 'lib'],
  vault: ['store', 'lib', 'contract/processors'],
  reconcile: ['store', 'lib'],

  events: foundation,
  // The response to a request that caused an event is the event's object.
  idempotency: [...foundation, 'events'],
  jobs: [...foundation, 'accounts/sql'],
  processors: ['contract', 'lib'],

  accounts: [...common, 'processors/registry'],
  'api-keys': [...common, 'accounts', 'users/people/reads'],
  users: [...common, 'accounts', 'mail', 'vault'],
  customers: [...common, 'accounts/context'],
  'payment-methods': [...common, 'operations', 'accounts/context', 'customers', 'processors/port', 'vault'],

  operations: [
    ...common,
    'accounts',
    'users/audit/audited-requests',
    'processors/port',
    'processors/registry',
  ],

  'payment-alerts': [...foundation, 'accounts/context', 'mail'],
  'payment-links': [...common, 'accounts/context', 'users/audit/audit'],
  payments: [...payment, 'payment-alerts', 'payment-links/sql', 'mail'],
  refunds: [...payment, 'payments', 'payment-alerts/alerts', 'disputes/sql', 'mail'],
  // An approved request is executed like a merchant's own.
  approvals: [...payment, 'payments', 'payment-links', 'refunds', 'mail', 'users/audit/audit'],
  files: [...common, 'accounts/context', 'accounts/sql'],
  disputes: [...payment, 'payments', 'payment-alerts/movements', 'files', 'mail'],
  settlements: [...payment, 'payment-alerts/sql', 'payments/sql', 'refunds/reads', 'disputes/sql'],
  'card-testing': [...foundation, 'accounts/context', 'vault'],
  checkout: [...payment, 'payments', 'payment-links', 'card-testing', 'mail', 'vault'],
  // Moves the account's clock and plays the buyer of a checkout.
  'sandbox-helpers': [...payment, 'accounts/accounts', 'payments', 'refunds', 'checkout'],

  webhooks: ['events', 'jobs', 'vault', 'accounts/sql', ...foundation],
  // The operator's credentials at the processors.
  connections: [
    'operations/due',
    'payments/sql',
    'refunds/reads',
    'disputes/sql',
    'payment-methods/sql',
    'processor-notifications/reads',
    'users/audit/audit',
    'processors/upstream/processor',
    'processors/registry',
    'vault',
    ...foundation,
  ],
  mail: ['events', 'jobs', ...foundation],
  'request-logs': foundation,
  dashboard: [
    ...foundation,
    'operations/sql',
    'processors/registry',
    'jobs',
    'files',
    'vault',
    'sandbox-helpers',
    ...features,
  ],
  'processor-notifications': [...foundation, 'jobs', 'processors/port', 'vault', ...features],

  // The simulators behind the adapters, in this process.
  simulators: [
    ...foundation,
    'accounts/account-clocks',
    'payments/payment',
    'disputes/api/open-dispute',
    'processors',
    'sandbox',
  ],

  cells: [...foundation, 'accounts', 'api-keys', 'operations/sql', 'users/people/copies', 'vault'],
  // Wraps the others' work in spans and exports them.
  telemetry: [...foundation, 'jobs/periodic', 'http/server/request-record', 'processors/wire/transport'],
  compose: everything,
  cli: everything,
  main: everything,
};

/** Folders that only these files may import, whatever the table above says. */
const reserved: Readonly<Record<string, (from: string) => boolean>> = {
  // The dashboard's own API, beside the merchant's, uses http for its routes and their guards.
  http: (from) => /\/routes\.ts$|^dashboard\/(api|entry)\.ts$/.test(from) || isRoot(from),
  'store/embedded': (from) => isRoot(from),
  config: (from) => isRoot(from),
  sandbox: (from) => isRoot(from) || from.startsWith('simulators/'),
};

const isRoot = (path: string) => /^(cli\/|compose\/|main\.ts$)/.test(path);

/** Folders that may use the operations of other folders, but never their SQL or routes. */
const operationsOnly = ['dashboard', 'processor-notifications'];

const withoutEnding = (path: string) => path.replace(/\.tsx?$/, '');
const folderOf = (path: string) =>
  path.includes('/') ? path.slice(0, path.indexOf('/')) : withoutEnding(path);
const covers = (name: string, path: string) =>
  name === '*' || withoutEnding(path) === name || path.startsWith(`${name}/`);

/** The imports of the server's production code, as [importing file, import], both from packages/server/src. */
const serverImports = productionSources
  .filter((path) => placeOf(path).package === 'server')
  .flatMap((path) =>
    importsOf(path).flatMap(({ specifier, file }): [string, string][] => {
      const from = placeOf(path).path;
      if (file !== undefined) return [[from, placeOf(file).path]];
      return specifier.startsWith('@till/') ? [[from, specifier.slice('@till/'.length)]] : [];
    }),
  )
  .filter(([from, to]) => folderOf(from) !== folderOf(to));

const arrows = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([from, to]) => `${from} → ${to}`);

describe('the folders of the server', () => {
  it('all stand in the table', () => {
    const folders = new Set(
      productionSources
        .map(placeOf)
        .filter((place) => place.package === 'server')
        .map((place) => folderOf(place.path)),
    );
    expect([...folders].filter((folder) => server[folder] === undefined)).toEqual([]);
  });

  it('import what the table names and nothing else', () => {
    const allowedHere = (from: string, to: string) =>
      (server[folderOf(from)] ?? []).some((name) => covers(name, to)) ||
      (covers('http', to) && reserved.http?.(from) === true);
    expect(arrows(serverImports.filter(([from, to]) => !allowedHere(from, to)))).toEqual([]);
  });

  it('keep off what is reserved: http for routes, the embedded server and the sandbox for the composition and the simulators', () => {
    const broken = serverImports.filter(([from, to]) =>
      Object.entries(reserved).some(([name, mayImport]) => covers(name, to) && !mayImport(from)),
    );
    expect(arrows(broken)).toEqual([]);
  });

  it('take other folders by their operations where they have no business of their own', () => {
    const broken = serverImports.filter(
      ([from, to]) =>
        operationsOnly.includes(folderOf(from)) && /\/(store|routes)\.ts$/.test(to) && !covers('store', to),
    );
    expect(arrows(broken)).toEqual([]);
  });

  it('keep the adapters apart from each other', () => {
    const adapter = (path: string) => /^processors\/(processor-[a-z]+)\//.exec(path)?.[1];
    const broken = productionSources.flatMap((path) =>
      importsOf(path).flatMap(({ file }): [string, string][] => {
        const from = placeOf(path).path;
        const to = file === undefined ? '' : placeOf(file).path;
        const named = from === 'processors/registry.ts';
        return named || adapter(to) === undefined || adapter(to) === adapter(from) ? [] : [[from, to]];
      }),
    );
    expect(arrows(broken)).toEqual([]);
  });
});

describe('the packages', () => {
  it('all stand in the table', () => {
    expect(packageNames.filter((name) => packageRules[name] === undefined)).toEqual([]);
  });

  it.each(packageNames)('%s imports the packages that it may', (name) => {
    const rule = packageRules[name];
    const broken = productionSources
      .filter((path) => placeOf(path).package === name)
      .flatMap(importsOf)
      .filter(({ specifier }) => {
        const npm = npmPackage(specifier);
        if (npm === undefined) return false;
        if (npm.startsWith('@till/')) return rule?.ours.includes(npm.slice('@till/'.length)) !== true;
        return rule?.npm != null && !rule.npm.includes(npm);
      });
    expect(broken.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([]);
  });

  it('contract, which browsers load, uses nothing of Node', () => {
    const broken = productionSources
      .filter((path) => placeOf(path).package === 'contract')
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier.startsWith('node:'));
    expect(broken).toEqual([]);
  });

  it.each(packageNames)('%s names every npm package that it imports in its package.json', (name) => {
    const own = manifestOf(`packages/${name}`);
    const atBuild = builtPackages.includes(name) ? own.devDependencies : {};
    const named = { ...own.dependencies, ...own.optionalDependencies, ...atBuild };
    const missing = productionSources
      .filter((path) => placeOf(path).package === name)
      .flatMap(importsOf)
      .filter(({ specifier }) => {
        const npm = npmPackage(specifier);
        return npm !== undefined && !Object.hasOwn(named, npm);
      });
    expect(missing.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([]);
  });
});

describe('every file', () => {
  it('reaches another package by its name only, tests included', () => {
    const broken = packageSources
      .flatMap(importsOf)
      .filter(
        ({ from, file }) => file !== undefined && !file.startsWith(from.replace(/\/src\/.*$/, '/src/')),
      );
    expect(broken.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([]);
  });

  it('of production imports no test and nothing that was written for tests', () => {
    const broken = productionSources
      .flatMap(importsOf)
      .filter(({ file, specifier }) => specifier === 'vitest' || (file !== undefined && isTestCode(file)));
    expect(broken.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([]);
  });

  it('of the sandbox imports nothing of ours, its tests included: adapter and simulator meet on the wire only', () => {
    const broken = packageSources
      .filter((path) => placeOf(path).package === 'sandbox')
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier.startsWith('@till/'));
    expect(broken.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([]);
  });

  it('that the acceptance tests load knows nothing of the packages: they speak HTTP to any server', () => {
    const loaded = new Set(testSources.filter((path) => path.startsWith('tests/acceptance/')));
    expect(loaded.size).toBeGreaterThan(0);
    const broken: string[] = [];
    for (const path of loaded) {
      for (const { specifier, file } of importsOf(path)) {
        if (specifier.startsWith('@till/') || file?.startsWith('packages/') === true) {
          broken.push(`${path} → ${specifier}`);
        } else if (file !== undefined) {
          loaded.add(file);
        }
      }
    }
    expect(broken).toEqual([]);
  });
});
