import { failureCodes as contractCodes } from '@till/contract';
import { expect, it } from 'vitest';
import { captureDeclined, failureCodes, failureText, inSentence, wasNotFinished } from './failure-texts.ts';

it('has words for every code of the contract, and no others', () => {
  expect(failureCodes.map(([code]) => code).toSorted()).toEqual([...contractCodes].toSorted());
});

it('never asks for a card again that is on a list', () => {
  for (const code of ['lost_card', 'stolen_card', 'pickup_card']) {
    expect(failureText(code).advice).toMatch(/Do not tell the buyer/);
  }
});

it('shows an unknown code by its own name', () => {
  expect(failureText('new_reason').title).toBe('new reason');
});

it('stands in a sentence without losing the capitals of names', () => {
  expect(inSentence(failureText('insufficient_funds').title)).toBe('insufficient funds');
  expect(inSentence(failureText('3ds_failed').title)).toBe('3-D Secure failed');
});

it('keeps what nobody declined apart from declines', () => {
  expect(wasNotFinished('confirmation_expired')).toBe(true);
  expect(wasNotFinished('refused')).toBe(false);
});

it('a declined capture says why, unless the bank does not', () => {
  expect(captureDeclined('insufficient_funds')).toBe('The capture was declined (insufficient funds)');
  expect(captureDeclined('declined')).toBe('The capture was declined');
});
