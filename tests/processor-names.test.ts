import { describe, expect, it } from 'vitest';
import { filesBelow, isTestCode, read } from './support/sources.ts';

/*
 * Which processor a payment is at decides nothing outside its adapter: the rest goes by what the processor can do
 * (`processors/port/capabilities.ts`). So only a few places name one.
 */

const packages = ['server', 'contract', 'dashboard', 'checkout', 'sdk'];

/** By our own name of it in any spelling, by its notification address, or by the upstream's. */
const names =
  /processor[-_][a-z](?![a-z])|[pP]rocessor[A-Z](?![a-z])|[pP]rocessor [A-Z]\b|processors\/[a-z]\b|[Aa]dyen|ADYEN|[Pp]ay[Pp]al|PAYPAL/;

/** Where a processor is spelled: its own folder, the list of the adapters, the names on the wire. */
const places = [
  /^packages\/server\/src\/processors\/processor-[a-z]\//,
  /^packages\/server\/src\/processors\/registry\.ts$/,
  /^packages\/contract\/src\/primitives\/processors\.ts$/,
];

/** Files that name one all the same, by how their path begins. */
const exceptions: Readonly<Record<string, string>> = {
  'packages/contract/src/documented/answer-examples.ts':
    'answers as the reference shows them: data, not code',
  'packages/sdk/src/generated/': 'generated from /openapi.json',
};

const isProse = (path: string) => path.endsWith('.md');
const files = packages
  .flatMap((name) => filesBelow(`packages/${name}`))
  .filter((path) => !isTestCode(path) && !isProse(path));
const naming = files.filter((path) => names.test(read(path)));
const reasonFor = (path: string) => Object.keys(exceptions).find((begin) => path.startsWith(begin));

describe('the name of a processor', () => {
  it.each([
    "processor === 'processor_a'",
    "import { createProcessorB } from './x.ts'",
    'const processorA = 1',
    "import '../processors/processor-b/adapter.ts'",
    "'/processors/a/notifications/:account'",
    "name: 'Processor A'",
    "next_action === 'processor_b_wallet'",
    '(Adyen docs)',
    'window.paypal',
  ])('is recognised in %s', (text) => {
    expect(names.test(text)).toBe(true);
  });

  it.each(['the processor a payment is at', 'processors.map(one)', 'perProcessor(', 'ProcessorConnection'])(
    'is not seen in %s',
    (text) => {
      expect(names.test(text)).toBe(false);
    },
  );

  it('stands in its folder, the registry and the contract’s enumerations only', () => {
    expect(files.length).toBeGreaterThan(500);
    const elsewhere = naming.filter(
      (path) => !places.some((place) => place.test(path)) && reasonFor(path) === undefined,
    );
    expect(elsewhere).toEqual([]);
  });

  it.each(Object.entries(exceptions))('is still needed in %s: %s', (begin) => {
    expect(naming.some((path) => path.startsWith(begin))).toBe(true);
  });
});
