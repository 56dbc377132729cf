import { expect, it } from 'vitest';
import { runProgram } from '../program.ts';

async function run(...words: string[]) {
  const printed: string[] = [];
  const failed: string[] = [];
  let exit = 0;
  await runProgram(words, {
    environment: {},
    folder: '',
    out: (text) => void printed.push(text),
    fail: (text, exitCode) => {
      if (text !== '') failed.push(text);
      exit = exitCode;
    },
  });
  return { printed, failed, exit };
}

it.each([
  [
    ['clock', 'advance', '--account', 'acct_1', '--seconds', 'soon'],
    'error: --seconds: got "soon", expected a whole number of seconds from 1 to 315360000',
  ],
  [
    ['accounts', 'create', '--name', 'Shop', '--processor', 'processor_c'],
    'error: --processor: got "processor_c", expected one of processor_a, processor_b',
  ],
  [
    ['trigger', 'payment.exploded', '--api-key', 'sk_test_1'],
    expect.stringContaining('error: <event>: got "payment.exploded", expected one of payment.succeeded, '),
  ],
  [
    ['webhooks', 'replay', 'we_1', '--since', '2026-11-20', '--types', 'payment.*,refunds.*'],
    expect.stringContaining(
      'error: --types: got "payment.*,refunds.*", expected one or more of payment.* and ',
    ),
  ],
  [
    ['listen', '--api-key', 'sk_test_1', '--forward-to', 'ftp://jane:hidden@localhost/'],
    'error: --forward-to: got "ftp://…@localhost/", expected an http or https URL',
  ],
  [
    ['listen', '--api-key', 'sk_test_1', '--forward-to', 'http://localhost/', '--secret', 'whsec_hidden'],
    'error: --secret: got a value that is not shown, expected the whsec_… secret of an endpoint',
  ],
])('till %j is refused in one sentence with what was given and what is expected', async (words, message) => {
  const { failed, exit } = await run(...words);
  expect({ exit, message: failed[0] }).toEqual({ exit: 1, message });
  expect(failed.join('\n')).not.toContain('hidden');
  const asJson = await run(...words, '--json');
  expect(asJson.printed.map((text) => JSON.parse(text))).toEqual([
    { error: { code: 'invalid_usage', message } },
  ]);
  expect(asJson.exit).toBe(1);
});

it('repeats only the beginning of a long value', async () => {
  const { failed } = await run('events', 'list', '--account', 'acct_1', '--limit', '9'.repeat(500));
  expect(failed[0]).toBe(`error: --limit: got "${'9'.repeat(100)}…", expected a whole number from 1 to 1000`);
});
