import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { CleanUp } from '../../support/clean-up.ts';
import { prepareOnce } from '../../support/prepare-once.ts';
import { temporaryFolder } from '../../support/server.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** The published package, as a merchant's program loads it. */
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever they name; a program of its own checks the types
export type Sdk = any; // oxlint-disable-line typescript/no-explicit-any

const settings = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

/**
 * Packs the package the way a publisher does from a fresh checkout: in a copy, so that no earlier build output gets in.
 * @returns the name of the file
 */
async function packSdk(copy: string, destination: string): Promise<string> {
  const folder = join(copy, 'packages/sdk');
  const isBuilt = /[/\\](dist|node_modules)$/;
  await cp(join(root, 'packages/sdk'), folder, { recursive: true, filter: (path) => !isBuilt.test(path) });
  await cp(join(root, 'tsconfig.base.json'), join(copy, 'tsconfig.base.json'));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const { stdout } = await run(npm, ['pack', '--json', '--pack-destination', destination], { cwd: folder });
  // Older versions of npm print a list, newer ones an object by package name.
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  if (packed === undefined) throw new Error(`npm packed nothing: ${stdout}`);
  return packed.filename;
}

/** Creates the project `shop` in a folder and installs the packed package there without a network. */
async function installSdk(folder: string): Promise<void> {
  const shop = join(folder, 'shop');
  await mkdir(shop);
  const tarball = await packSdk(join(folder, 'repository'), shop);
  await writeFile(
    join(shop, 'package.json'),
    JSON.stringify({ name: 'shop', private: true, type: 'module' }),
  );
  await run(npm, ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], { cwd: shop });
}

/** A merchant's project that contains only the packed `@till/node`. */
export class SdkProject {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(cleanUp: CleanUp): Promise<SdkProject> {
    const installed = await prepareOnce('sdk', installSdk);
    const { path: folder, remove } = await temporaryFolder();
    cleanUp.add(remove);
    const project = new SdkProject(join(folder, 'shop'));
    await cp(join(installed, 'shop'), project.folder, { recursive: true });
    return project;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(this.path(name), text);
  }

  /** The package as `import` resolves it from this project. */
  async load(): Promise<Sdk> {
    await this.write('load.js', "export * from '@till/node';\n");
    return import(pathToFileURL(this.path('load.js')).href);
  }

  /** Every installed file, by its path in the package. */
  async installed(): Promise<ReadonlyMap<string, string>> {
    const folder = this.path('node_modules/@till/node');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return new Map(
      await Promise.all(
        paths.map(
          async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')] as [string, string],
        ),
      ),
    );
  }

  /**
   * Type-checks a program against the installed package and writes its JavaScript beside it.
   * @param options compiler options that replace the strict ones of this project
   * @returns the output of the compiler; '' if there are no errors
   */
  async compile(name: string, options: object = {}): Promise<string> {
    const compilerOptions = { ...settings, ...options };
    await this.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [name] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return run(process.execPath, [compiler, '-p', this.folder], { cwd: this.folder }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
  }

  /** Runs a program to its end. @returns its output; rejects if it fails */
  async run(name: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const { stdout } = await run(process.execPath, [name], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, ...environment },
      timeout: 30_000,
    });
    return stdout;
  }
}

/** The compiler options of a program that uses Node's types. */
export const withNodeTypes = {
  lib: ['es2023'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

/** The examples in the README of the package, in order. */
export async function readmeExamples(project: SdkProject): Promise<string[]> {
  const text = (await project.installed()).get('README.md') ?? '';
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
}

/** The error with which a call is refused; rejects if the call succeeds. */
export const caught = (call: Promise<unknown>): Promise<Sdk> =>
  call.then(
    (answer) => {
      throw new Error(`it was answered: ${JSON.stringify(answer)}`);
    },
    (error: unknown) => error,
  );

/** The ids of all objects that iterating a list returns. */
export async function collect(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}
