import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { knownToHostsFile } from '../../lib/web/hosts-file.ts';
import { systemResolver } from './connect.ts';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'till-hosts-'));
  file = join(folder, 'hosts');
  await writeFile(
    file,
    '# of this machine\n10.1.2.3\tshop.internal Shop # the shop\nfd00::3 shop.internal\nnonsense shop.internal\n',
  );
});
afterAll(() => rm(folder, { recursive: true }));

const fails = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }));
const resolveWith = (code: string) =>
  systemResolver({
    resolver: { resolve4: fails(code), resolve6: fails(code) },
    known: (name) => knownToHostsFile(name, file),
  });

it('a name that name servers do not know has the addresses of the hosts file', async () => {
  const expected = [
    { address: '10.1.2.3', family: 4 },
    { address: 'fd00::3', family: 6 },
  ];
  expect(await resolveWith('ENOTFOUND')('shop.internal')).toEqual(expected);
  expect(await resolveWith('ETIMEOUT')('Shop.internal.')).toEqual(expected);
  expect(await resolveWith('ENOTFOUND')('shop')).toEqual([{ address: '10.1.2.3', family: 4 }]);
});

it('of a name that is in neither the name server’s error is passed on', async () => {
  await expect(resolveWith('ETIMEOUT')('other.internal')).rejects.toMatchObject({ code: 'ETIMEOUT' });
});

it('without a hosts file nothing is known', async () => {
  expect(await knownToHostsFile('shop.internal', join(folder, 'none'))).toEqual([]);
});
