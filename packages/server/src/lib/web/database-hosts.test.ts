import { expect, it } from 'vitest';
import { databaseHosts, describeDatabase } from './database-hosts.ts';

it('leaves the address of one server alone', () => {
  for (const url of [
    'postgres://till:pw@db.example/till',
    'postgresql://till:pw@/till?host=/run/postgresql',
    'postgresql://till:p,w@db.example:5433/till?sslmode=require',
  ]) {
    expect(databaseHosts(url)).toBeNull();
  }
});

it('reads several hosts as libpq does, each with an address of its own', () => {
  expect(
    databaseHosts(
      'postgres://u:p%40@h1:5433,h2,[::1]:5434/db?sslmode=require&target_session_attrs=read-write',
    ),
  ).toEqual({
    hosts: [
      { name: 'h1:5433', url: 'postgres://u:p%40@h1:5433/db?sslmode=require' },
      { name: 'h2:5432', url: 'postgres://u:p%40@h2:5432/db?sslmode=require' },
      { name: '[::1]:5434', url: 'postgres://u:p%40@[::1]:5434/db?sslmode=require' },
    ],
  });
  const byParameters = 'postgres://u@/db?host=h1,h2&port=5433&target_session_attrs=read-write';
  expect(databaseHosts(byParameters)).toEqual({
    hosts: [
      { name: 'h1:5433', url: 'postgres://u@h1:5433/db' },
      { name: 'h2:5433', url: 'postgres://u@h2:5433/db' },
    ],
  });
});

it('follows one host too, where a name may lead to another server', () => {
  expect(databaseHosts('postgres://u@db/till?target_session_attrs=read-write')).toEqual({
    hosts: [{ name: 'db:5432', url: 'postgres://u@db:5432/till' }],
  });
});

it('says what it expected', () => {
  const expected = (url: string) => databaseHosts(url);
  const fault = (text: RegExp) => ({ expected: expect.stringMatching(text) as string });
  expect(expected('postgres://h1,h2/db')).toEqual(fault(/target_session_attrs=read-write/));
  expect(expected('postgres://h1,h2/db?target_session_attrs=any')).toEqual(fault(/read-write/));
  expect(expected('postgres://h1:0,h2/db?target_session_attrs=read-write')).toEqual(fault(/"h1:0"/));
  expect(expected('postgres://h1,,h2/db?target_session_attrs=read-write')).toEqual(fault(/names ""/));
  expect(expected('postgres:///db?host=a,b,c&port=1,2&target_session_attrs=read-write')).toEqual(
    fault(/as many ports/),
  );
  expect(expected(`postgres://${'h,'.repeat(8)}h/db?target_session_attrs=read-write`)).toEqual(
    fault(/at most 8/),
  );
});

it.each([
  ['postgresql://till:secret@db.example:5433/till', 'db.example:5433/till'],
  ['postgresql://db.example/till?user=till&password=secret', 'db.example/till'],
  ['postgresql://till:se@secret@127.0.0.1:1/till', '127.0.0.1:1/till'],
  ['postgresql:///till?host=/run/postgresql&password=secret', '/run/postgresql/till'],
  ['postgres://till:secret@h1,h2:5433/till?target_session_attrs=read-write', 'h1,h2:5433/till'],
  ['postgresql://till:12/secret@db1/till', null],
  ['postgresql://till:secret/word@db1,db2/till?target_session_attrs=read-write', null],
  ['till:secret@db1/till', null],
])('a database is named without its password: %s', (url, place) => {
  expect(describeDatabase(url)).toBe(place);
});

it('a fault in an address is described without what may be its password', () => {
  const found = databaseHosts('postgresql://till:secret/word@db1,db2/till?target_session_attrs=read-write');
  expect(JSON.stringify(found)).not.toMatch(/secret|word@/);
});
