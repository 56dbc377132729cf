import {
  disputeReasons as contractReasons,
  disputeStates as contractStates,
  disputeStatuses as contractStatuses,
  evidenceTypes as contractTypes,
} from '@till/contract';
import { describe, expect, it } from 'vitest';
import {
  disputeNext,
  disputeReason,
  disputeReasons,
  disputeState,
  disputeStates,
  evidenceText,
  evidenceTypes,
} from './dispute-words.ts';

describe('disputes have words', () => {
  it('for every reason, with evidence that helps', () => {
    expect(disputeReasons.map(({ value }) => value).toSorted()).toEqual([...contractReasons].toSorted());
    for (const reason of contractReasons) {
      expect(disputeReason(reason).evidence.length).toBeGreaterThanOrEqual(3);
    }
    expect(disputeReason('brand_new').word).toBe('Other');
  });

  it('for every state and status', () => {
    expect(disputeStates.map(({ value }) => value).toSorted()).toEqual([...contractStates].toSorted());
    for (const state of contractStates) expect(disputeState(state).meaning).not.toBe('');
    for (const status of contractStatuses) expect(disputeNext(status)).not.toBe('');
    expect(disputeState('brand_new')).toEqual({ word: 'brand new', meaning: '' });
  });

  it('for every kind of evidence', () => {
    expect([...evidenceTypes].toSorted()).toEqual([...contractTypes].toSorted());
    for (const type of evidenceTypes) expect(evidenceText(type).hint).not.toBe('');
  });
});
