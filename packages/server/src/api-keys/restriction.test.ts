import { describe, expect, it } from 'vitest';
import { isOver, mayComeFrom, readRestriction } from './restriction.ts';

const now = new Date('2026-11-20T12:00:00Z');
const read = { permissions: ['payments:read'] } as const;

describe('where a key may be used from', () => {
  it.each([
    ['203.0.113.7', ['203.0.113.7'], true],
    ['203.0.113.8', ['203.0.113.7'], false],
    ['203.0.113.8', ['10.0.0.0/8', '203.0.113.0/24'], true],
    ['::ffff:203.0.113.8', ['203.0.113.0/24'], true],
    ['::ffff:203.0.113.7', ['::ffff:203.0.113.7'], true],
    ['203.0.113.8', ['::ffff:203.0.113.0/120'], true],
    ['203.0.114.8', ['::ffff:203.0.113.0/120'], false],
    ['2001:db8:1::5', ['2001:db8::/32'], true],
    ['2001:db9::5', ['2001:db8::/32'], false],
    ['2001:db8::5', ['203.0.113.0/24'], false],
    ['no address', ['0.0.0.0/0', '::/0'], false],
    ['', ['0.0.0.0/0'], false],
  ])('%s of %j: %s', (ip, addresses, allowed) => {
    expect(mayComeFrom({ addresses }, ip)).toBe(allowed);
  });

  it('is anywhere without addresses, and nowhere from what is not known', () => {
    expect(mayComeFrom({ addresses: [] }, undefined)).toBe(true);
    expect(mayComeFrom({ addresses: ['0.0.0.0/0'] }, undefined)).toBe(false);
  });

  it.each([
    '1.2.3',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    'shop.example',
    '10.0.0.0/',
    '0x7f.1',
  ])('is not %s', (address) => {
    const made = () => readRestriction({ permissions: [...read.permissions], addresses: [address] }, now);
    expect(made).toThrow(/IPv4 or IPv6/);
  });
});

describe('the end of a key', () => {
  it('is over at that moment', () => {
    const end = { ends_at: '2026-11-20T12:00:00Z' };
    expect(isOver(end, new Date('2026-11-20T11:59:59.999Z'))).toBe(false);
    expect(isOver(end, now)).toBe(true);
    expect(isOver({ ends_at: null }, now)).toBe(false);
  });

  it('has to be still to come', () => {
    const made = () =>
      readRestriction({ permissions: [...read.permissions], ends_at: '2026-11-20T12:00:00Z' }, now);
    expect(made).toThrow(/still to come/);
  });

  it.each(['2027-02-30T00:00:00Z', '2027-04-31T12:00:00Z', '2027-01-01T24:00:00Z'])(
    'is a time that exists: not %s',
    (end) => {
      const made = () => readRestriction({ permissions: [...read.permissions], ends_at: end }, now);
      expect(made).toThrow(/exists/);
    },
  );
});
