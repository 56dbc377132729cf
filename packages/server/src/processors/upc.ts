import type { LineItem } from '@till/contract';

const upcTypes: ReadonlySet<string> = new Set([
  'UPC-A',
  'UPC-B',
  'UPC-C',
  'UPC-D',
  'UPC-E',
  'UPC-2',
  'UPC-5',
]);

/**
 * The product code in the form that upstreams take: a code without a recognised type counts as UPC-A where it has 12
 * digits and is dropped (undefined) otherwise (specification, "Line items").
 */
export function recognisedUpc(upc: LineItem['upc']): { type: string; code: string } | undefined {
  if (upc === undefined) {
    return undefined;
  }
  if (upc.type !== undefined && upcTypes.has(upc.type)) {
    return { type: upc.type, code: upc.code };
  }
  return upc.code.length === 12 ? { type: 'UPC-A', code: upc.code } : undefined;
}
