import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Merchant, till } from '../../support/merchant.ts';

export interface Imported {
  readonly payouts: number;
  readonly lines: number;
  readonly matched: number;
  readonly unmatched: number;
}

/** A path in a folder that is removed after the run. */
export const newFile = async (name = 'report.csv') =>
  join(await mkdtemp(join(process.env.TILL_TEST_OUTPUTS ?? tmpdir(), 'report-')), name);

/** Makes the simulator pay out the captured amounts. @returns the path of its report */
export async function settle(merchant: Merchant): Promise<string> {
  const file = await newFile();
  await till('sandbox', 'settle', '--account', merchant.id, '--out', file);
  return file;
}

export const importFile = (merchant: Merchant, file: string): Promise<Imported> =>
  till<Imported>('settlements', 'import', file, '--account', merchant.id);

/** Writes a copy of the report with a change. */
export async function changed(file: string, change: (text: string) => string): Promise<string> {
  const text = await readFile(file, 'utf8');
  const after = change(text);
  expect(after).not.toBe(text);
  const copy = await newFile();
  await writeFile(copy, after);
  return copy;
}

export const advance = (merchant: Merchant, seconds: number) =>
  till('clock', 'advance', '--account', merchant.id, '--seconds', String(seconds));

/** Every object of a list, from all its pages. */
async function allOf<Item>(merchant: Merchant, path: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await merchant.get(`${path}?per_page=50&page=${page}`);
    expect(status).toBe(200);
    found.push(...body.data);
    if (!body.has_more) {
      expect(found).toHaveLength(body.total_count);
      return found;
    }
  }
}

export interface Payout {
  readonly id: string;
  readonly currency: string;
  readonly gross: number;
  readonly fees: number;
  readonly net: number;
  readonly lines_count: number;
  readonly unmatched_count: number;
}

export interface Line {
  readonly type: string;
  readonly payment: string | null;
  readonly refund: string | null;
  readonly dispute: string | null;
  readonly gross: number;
  readonly fee: number;
  readonly net: number;
}

/** All payouts with their lines, after a check that the lines add up. */
export async function payoutsOf(merchant: Merchant): Promise<(Payout & { readonly lines: Line[] })[]> {
  const payouts = await allOf<Payout>(merchant, '/api/v1/payouts');
  return Promise.all(
    payouts.map(async (payout) => {
      const lines = await allOf<Line>(merchant, `/api/v1/payouts/${payout.id}/lines`);
      const sum = (part: 'gross' | 'fee' | 'net') => lines.reduce((all, line) => all + line[part], 0);
      expect([sum('gross'), sum('fee'), sum('net')]).toEqual([payout.gross, payout.fees, payout.net]);
      expect(payout.gross - payout.fees).toBe(payout.net);
      expect(payout.lines_count).toBe(lines.length);
      return { ...payout, lines };
    }),
  );
}
