import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { readConfig } from '../../../config/config.ts';
import { checkMachine } from './machine.ts';

const checkProxies = async (proxies: string) => {
  const config = readConfig({ TRUST_PROXY: proxies, TILL_DATA_DIR: tmpdir() }, tmpdir());
  return (await checkMachine(config)).find(({ check }) => check === 'trusted proxies');
};

it.each(['0.0.0.0/1,128.0.0.0/1', '10.0.0.0/8, ::/1, 8000::/1', '::ffff:0:0/96'])(
  'proxies that are everybody are warned of: %s',
  async (proxies) => {
    expect(await checkProxies(proxies)).toMatchObject({
      state: 'warn',
      todo: expect.stringMatching(/proxies/),
    });
  },
);

it.each(['10.0.0.0/8,127.0.0.1', '192.0.2.0/24', 'fd00::/8'])(
  'proxies in networks of their own are fine: %s',
  async (proxies) => {
    expect(await checkProxies(proxies)).toMatchObject({ state: 'ok', todo: null });
  },
);
