import { expect, it } from 'vitest';
import { createLogger } from './log.ts';

const written = (fields: Parameters<ReturnType<typeof createLogger>['error']>[1]): unknown => {
  const lines: string[] = [];
  createLogger('info', (line) => lines.push(line)).error('happened', fields);
  return JSON.parse(lines.join(''));
};

it('a line names what somebody has to look at', () => {
  const named = {
    account: 'acct_1',
    payment: 'pay_1',
    refund: 're_1',
    payment_method: 'pm_1',
    dispute: 'dp_1',
    approval: 'apr_1',
    delivery: 'dlv_1',
    endpoint: 'we_1',
    origin: 'https://processor.example',
    scope: 'origin',
  };
  expect(written(named)).toMatchObject(named);
});

it('a line leaves out a field that is no name of one', () => {
  const fields = { account: 'acct_1', body: 'secret' };
  expect(written(fields)).toEqual({
    level: 'error',
    time: expect.any(String),
    msg: 'happened',
    account: 'acct_1',
  });
});
