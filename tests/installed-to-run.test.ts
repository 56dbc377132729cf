import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtPackages, manifestOf, read } from './support/sources.ts';

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const toInstall = Object.entries(packages).filter(
  // The lockfile marks what `npm ci --omit=dev` leaves out.
  ([path, { dev, devOptional, link }]) =>
    path.includes('node_modules/') && dev !== true && devOptional !== true && link !== true,
);
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const installed = new Set(toInstall.map(([path]) => nameOf(path)));

describe('what is installed to run the server', () => {
  it('is what the server names', () => {
    const { dependencies = {} } = manifestOf('packages/server');
    const named = Object.keys(dependencies).filter((name) => !name.startsWith('@till/'));
    expect(named.filter((name) => !installed.has(name))).toEqual([]);
  });

  it('holds no tool of the build, and nothing that is built into a bundle for browsers', () => {
    const manifests = ['', ...builtPackages.map((name) => `packages/${name}`)].map(manifestOf);
    for (const { dependencies } of manifests) expect(dependencies ?? {}).toEqual({});
    const tools = manifests.flatMap(({ devDependencies = {} }) => Object.keys(devDependencies));
    expect(tools).toEqual(expect.arrayContaining(['typescript', 'esbuild', 'vite', 'react', 'marked']));
    // The tests use some of the server's own libraries.
    const ofServer = [manifestOf('packages/server'), ...toInstall.map(([, locked]) => locked)];
    const needed = new Set(ofServer.flatMap(({ dependencies = {} }) => Object.keys(dependencies)));
    expect(tools.filter((name) => installed.has(name) && !needed.has(name))).toEqual([]);
  });
});

it('whatever starts the server runs ./till, which makes room for new objects', () => {
  expect(read('till')).toMatch(/^exec node --max-semi-space-size=32 /m);
  expect(manifestOf('').scripts?.start).toBe('exec ./till serve');
  expect(read('deploy/systemd/till.service')).toMatch(/^ExecStart=\/opt\/till\/till serve$/m);
  expect(read('deploy/Containerfile')).toMatch(/^ENTRYPOINT \["\/opt\/till\/till"\]$/m);
});

it('the unit puts the socket of the embedded database where commands outside of it find it', () => {
  const unit = read('deploy/systemd/till.service');
  // With a private /tmp, where the socket is by default, commands outside of the unit could not find it.
  expect(unit).toMatch(/^PrivateTmp=yes$/m);
  const [, folder] = /^RuntimeDirectory=(\w+)$/m.exec(unit) ?? [];
  expect(unit).toMatch(new RegExp(`^Environment=TMPDIR=/run/${folder}$`, 'm'));
});

const hasVerify = spawnSync('systemd-analyze', ['--version']).status === 0;
const missing = hasVerify ? '' : ' (skipped: it is not installed)';

it.skipIf(!hasVerify)(`systemd-analyze accepts the unit${missing}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'till-unit-'));
  try {
    const path = join(folder, 'till.service');
    // The check also wants the program to be there, which is only installed on a server.
    writeFileSync(path, read('deploy/systemd/till.service').replaceAll('/opt/till/till', '/bin/true'));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
