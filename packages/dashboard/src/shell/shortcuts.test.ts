import { describe, expect, it } from 'vitest';
import { createShortcuts } from './shortcuts.ts';

const press = (key: string, timeStamp = 0, held = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  timeStamp,
  ...held,
});

describe('shortcuts', () => {
  it('open search and help and move through rows', () => {
    const read = createShortcuts();
    expect(read(press('/'), true)).toEqual({ kind: 'search' });
    expect(read(press('?'), true)).toEqual({ kind: 'help' });
    expect(read(press('j'), true)).toEqual({ kind: 'move', by: 1 });
    expect(read(press('k'), true)).toEqual({ kind: 'move', by: -1 });
    expect(read(press('x'), true)).toBeUndefined();
  });

  it('go to a page with g and a letter, soon after each other', () => {
    const read = createShortcuts();
    expect(read(press('g', 1000), true)).toBeUndefined();
    expect(read(press('p', 2000), true)).toEqual({ kind: 'go', page: 'payments' });
    expect(read(press('p', 2100), true)).toBeUndefined();
    read(press('g', 5000), true);
    expect(read(press('k', 5100), true)).toEqual({ kind: 'go', page: 'keys' });
    read(press('g', 8000), true);
    expect(read(press('k', 9501), true)).toEqual({ kind: 'move', by: -1 });
    read(press('g', 10_000), true);
    expect(read(press('toString', 10_100), true)).toBeUndefined();
  });

  it('of one letter can be switched off, Ctrl-K and ⌘K stay', () => {
    const read = createShortcuts();
    expect(read(press('/'), false)).toBeUndefined();
    expect(read(press('k', 0, { ctrlKey: true }), false)).toEqual({ kind: 'search' });
    expect(read(press('K', 0, { metaKey: true }), false)).toEqual({ kind: 'search' });
  });

  it('leave the browser its own keys', () => {
    const read = createShortcuts();
    expect(read(press('j', 0, { ctrlKey: true }), true)).toBeUndefined();
    expect(read(press('k', 0, { altKey: true }), true)).toBeUndefined();
  });
});
