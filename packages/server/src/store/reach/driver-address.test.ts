import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { driverAddress } from './driver-address.ts';

const at = (query: string) => `postgresql://till:sslmode=require&@db.example:5432/till${query}`;

describe('the address that the driver is given', () => {
  it.each(['prefer', 'require', 'verify-ca'])(
    'has sslmode=%s verify the certificate, without a warning',
    (mode) => {
      const warned = vi.spyOn(process, 'emitWarning');
      const address = driverAddress(at(`?sslmode=${mode}&connect_timeout=5`));
      expect(address).toBe(at('?sslmode=verify-full&connect_timeout=5'));
      void new pg.Client({ connectionString: address });
      expect(warned).not.toHaveBeenCalled();
      warned.mockRestore();
    },
  );

  it.each([
    '',
    '?sslmode=disable',
    '?sslmode=verify-full',
    '?sslmode=no-verify',
    '?uselibpqcompat=true&sslmode=require',
    '?sslmode=require&uselibpqcompat=true',
  ])('stays as it is otherwise: "%s"', (query) => {
    expect(driverAddress(at(query))).toBe(at(query));
  });
});
