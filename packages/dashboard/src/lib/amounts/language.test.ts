import { expect, it } from 'vitest';
import { languageOf } from './language.ts';

it.each([
  ['de-AT', 'de-AT'],
  ['en-us', 'en-US'],
  ['en-US@posix', 'en-GB'],
  ['', 'en-GB'],
])('of a browser that names %j is %s', (named, expected) => {
  expect(languageOf(named)).toBe(expected);
});
