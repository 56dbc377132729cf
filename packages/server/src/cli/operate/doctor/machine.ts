import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import proxyAddress from '@fastify/proxy-addr';
import type { Config } from '../../../config/config.ts';
import { findMasterKey } from '../../../lib/master-key.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const minFreeBytes = 1024 ** 3;
const megabyte = 1024 ** 2;

const built: Readonly<Record<string, URL>> = {
  'hosted page': new URL('../../../../../checkout/dist/page/scripts.json', import.meta.url),
  dashboard: new URL('../../../../../dashboard/dist/app/index.html', import.meta.url),
  documentation: new URL('../../../../../docs/dist/site/files.json', import.meta.url),
};

function checkNode(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  return fits ? ok('Node.js', node) : fail('Node.js', node, 'use 20.19 or newer');
}

async function checkFolder({ dataDir }: Config): Promise<Finding> {
  const check = 'data folder';
  try {
    await access(dataDir, constants.R_OK | constants.W_OK);
  } catch (error) {
    return fail(check, reasonOf(error), 'start the server once, or set TILL_DATA_DIR as the server has it');
  }
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const detail = `${dataDir}, ${Math.floor(free / megabyte)} MiB free`;
  return free < minFreeBytes ? warn(check, detail, 'make room') : ok(check, detail);
}

async function checkKey(config: Config): Promise<Finding> {
  const check = 'master key';
  try {
    const key = await findMasterKey(config.masterKey, config.dataDir);
    if (key === undefined) {
      return fail(check, 'none', 'set TILL_MASTER_KEY or TILL_DATA_DIR as the server has them');
    }
    if (config.masterKeyPrevious !== null) {
      return warn(check, 'a change is under way', 'go on as in docs/operating/configure.md, "Master key"');
    }
    if (config.masterKey !== null) return ok(check, 'from TILL_MASTER_KEY');
    const { mode } = await stat(join(config.dataDir, 'master.key'));
    return (mode & 0o077) === 0
      ? ok(check, 'from the data folder')
      : fail(check, 'others on this machine can read the file', 'chmod 600 master.key, and change the key');
  } catch (error) {
    return fail(check, reasonOf(error), 'restore it from your backup');
  }
}

async function checkBuild(): Promise<Finding> {
  const missing: string[] = [];
  for (const [name, place] of Object.entries(built)) {
    await access(place).catch(() => missing.push(name));
  }
  return missing.length === 0
    ? ok('build', 'hosted page, dashboard and documentation are there')
    : fail('build', `not built: ${missing.join(', ')}`, 'npm run build');
}

function checkAddress({ baseUrl, host, trustProxy }: Config): Finding {
  const check = 'public address';
  const isLocal = /^(localhost|127\.[\d.]+|::1)$/.test(host);
  if (baseUrl === null) {
    return isLocal
      ? ok(check, 'this machine only')
      : warn(check, 'BASE_URL is not set', 'set it to the address that buyers and merchants use');
  }
  if (!baseUrl.startsWith('https:')) {
    return warn(check, baseUrl, 'card data must travel over https: put a proxy with TLS in front');
  }
  return trustProxy.length === 0
    ? warn(
        check,
        baseUrl,
        'set TRUST_PROXY to the addresses of your proxies, or every buyer seems to be one of them',
      )
    : ok(check, baseUrl);
}

/** Pairs of distant addresses, reserved for documentation (RFC 5737, 3849 and 9637): a setting that trusts both trusts all. */
const nobodys = [
  ['192.0.2.1', '203.0.113.1'],
  ['2001:db8::1', '3fff::1'],
];

function checkProxies({ trustProxy }: Config): Finding[] {
  if (trustProxy.length === 0) return [];
  const check = 'trusted proxies';
  const trusts = proxyAddress.compile([...trustProxy]);
  return [
    nobodys.some((addresses) => addresses.every((address) => trusts(address, 0)))
      ? warn(
          check,
          'TRUST_PROXY trusts everybody: a client has whatever address it sends in X-Forwarded-For',
          'name the networks of your proxies only',
        )
      : ok(check, trustProxy.join(', ')),
  ];
}

/** Checks this machine, without connecting to anything. */
export async function checkMachine(config: Config): Promise<Finding[]> {
  const simulation = config.liveSimulation
    ? [warn('live payments', 'TILL_LIVE_SIMULATION is on: no real money moves', 'turn it off to go live')]
    : [];
  return [
    checkNode(),
    await checkFolder(config),
    await checkKey(config),
    await checkBuild(),
    checkAddress(config),
    ...checkProxies(config),
    ...simulation,
  ];
}
