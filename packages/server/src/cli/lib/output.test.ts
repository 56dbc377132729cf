import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { asLines, asTable, report } from './output.ts';

/** The output of a command whose work throws. */
async function errorOf(work: () => Promise<undefined>): Promise<string> {
  const printed: string[] = [];
  const shell = {
    environment: {},
    folder: '',
    out: (text: string) => void printed.push(text),
    fail: () => {},
  };
  await report(new Command().option('--json').parse(['--json'], { from: 'user' }), shell, work);
  return (JSON.parse(printed.join('')) as { error: { code: string } }).error.code;
}

it('a file that is missing is not taken for a database that is away', async () => {
  const missing = () => readFile('/nonexistent/file').then(() => undefined);
  expect(await errorOf(missing)).toBe('internal_error');
  const away = () =>
    new Promise<undefined>((_resolve, reject) => connect('/nonexistent/.s.PGSQL.5432').on('error', reject));
  expect(await errorOf(away)).toBe('database_unavailable');
});

it('text of merchants moves nothing on the terminal: control characters, line ends and marks of direction are escapes', () => {
  const name = 'shop\u001B]0;owned\u0007\u001B[2K\rhidden\nnext \u202Eesrever';
  expect(asTable({ name })).toBe(
    'name  shop\\u001b]0;owned\\u0007\\u001b[2K\\u000dhidden\\u000anext \\u202eesrever',
  );
  expect(asTable([{ name: 'Café €' }])).toBe('name\nCafé €');
});

it('a text of several lines is printed in its lines, each without what a terminal obeys', () => {
  expect(asLines('Dear owner,\n\n\u001B[2Ka dispute\r\nwaits\rhidden')).toBe(
    'Dear owner,\n\n\\u001b[2Ka dispute\nwaits\\u000dhidden',
  );
});
