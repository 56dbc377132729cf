import { expect, it } from 'vitest';
import { importanceOf } from './admit.ts';
import { routeOf } from './shed-load.ts';

const payment = '/api/v1/payments/pay_000000000000000000000000';

it.each([
  ['POST', '/api/v1/payments', 'money'],
  ['POST', '/api/v1/payments/', 'money'],
  ['POST', '/api/v1/payments/?x=1', 'money'],
  ['POST', `${payment}/capture`, 'money'],
  ['POST', `${payment}/capture/`, 'money'],
  ['POST', `${payment}/refunds/?`, 'money'],
  ['GET', `${payment}/`, 'ordinary'],
  ['GET', '/healthz/', 'vital'],
  ['POST', '/api/v1/customers/', 'ordinary'],
])(
  '%s %s is as important as its route, with or without a slash at its end: %s',
  (method, url, importance) => {
    expect(importanceOf(method, routeOf(url))).toBe(importance);
  },
);
