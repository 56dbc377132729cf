import { expect, it } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';

it.each([
  'password1',
  'Password123!',
  'P@ssw0rd',
  'passw0rd2026',
  '12345678',
  '87654321',
  '20261123',
  'qwertyuiop',
  'Qwerty123',
  '1q2w3e4r',
  '1qaz2wsx',
  'abcdefgh',
  'abcabcabc',
  'aaaaaaaa',
  'iloveyou',
  'Welcome2026',
  'letmein!!',
  'admin1234',
  'trustno1',
  'Summer2026!',
])('%s is tried first', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

it.each([
  'a long enough password',
  'long enough',
  'correct horse battery staple',
  'tr0ub4dor&3',
  'another long password',
  'kX9#vTq2',
  'passwordless-unicorn-91',
  '483920175562',
])('%s is not', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});
