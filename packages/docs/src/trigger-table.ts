import { type Trigger, triggers } from '@till/sandbox';
import { escapeHtml, slug } from './html.ts';

/** One row of the table. Triggers that differ only in field or processor share a row. */
export interface TriggerRow {
  readonly value: string;
  readonly fields: readonly string[];
  readonly processors: readonly string[];
  readonly outcome: string;
  readonly failureCode: string | undefined;
}

export interface TriggerGroup {
  readonly title: string;
  readonly rows: readonly TriggerRow[];
}

/** The groups of triggers, by the first letter of their ids, in reading order. */
const groupTitles: readonly (readonly [letter: string, title: string])[] = [
  ['A', 'Cards that are approved'],
  ['T', 'Cards with 3-D Secure'],
  ['D', 'Declines and saving'],
  ['N', 'Further refusals of processor_a'],
  ['W', 'Wallet and card fields'],
  ['H', 'Holds'],
  ['V', 'Address and security code checks'],
  ['X', 'Failures on the way to the processor'],
  ['R', 'Refunds'],
  ['G', 'Disputes'],
];

function rowsOf(some: readonly Trigger[]): TriggerRow[] {
  const caseOf = ({ trigger, outcome }: Trigger) => `${trigger.value}\n${outcome}`;
  const firsts = some.filter(
    (one, index) => some.findIndex((other) => caseOf(other) === caseOf(one)) === index,
  );
  return firsts.map((first) => {
    const same = some.filter((other) => caseOf(other) === caseOf(first));
    return {
      value: first.trigger.value,
      fields: [...new Set(same.map(({ trigger }) => trigger.field))],
      processors: [...new Set(same.map(({ processor }) => processor))],
      outcome: first.outcome,
      failureCode: first.failure_code,
    };
  });
}

/** The published triggers in groups. Triggers without a group come last. */
export function triggerGroups(): TriggerGroup[] {
  const letters = new Set(groupTitles.map(([letter]) => letter));
  const letterOf = ({ id }: Trigger) => id.charAt(0);
  const others = triggers.filter((trigger) => !letters.has(letterOf(trigger)));
  return [
    ...groupTitles.map(([letter, title]) => ({
      title,
      rows: rowsOf(triggers.filter((trigger) => letterOf(trigger) === letter)),
    })),
    { title: 'Others', rows: rowsOf(others) },
  ].filter(({ rows }) => rows.length > 0);
}

const letters = (processors: readonly string[]) =>
  processors.map((name) => name.replace('processor_', '').toUpperCase()).join(', ');

const codes = (some: readonly string[]) => some.map((one) => `<code>${escapeHtml(one)}</code>`).join(' or ');

function rowHtml({ value, processors, outcome, failureCode }: TriggerRow): string {
  const code =
    failureCode === undefined ? '' : `<a href="/docs/errors#${failureCode}"><code>${failureCode}</code></a>`;
  return `<tr><td><code>${escapeHtml(value)}</code><td>${escapeHtml(outcome)}<td>${code}<td>${letters(processors)}`;
}

/** Splits the rows of a group by the request fields that take their values, so that these are named only once. */
function byFields(rows: readonly TriggerRow[]): readonly (readonly TriggerRow[])[] {
  const sets = [...new Set(rows.map(({ fields }) => fields.join(' ')))];
  return sets.map((set) => rows.filter(({ fields }) => fields.join(' ') === set));
}

function tableHtml(title: string, rows: readonly TriggerRow[]): string {
  const fields = rows[0]?.fields ?? [];
  return `<div class="trigger-table">
<p>As ${codes(fields)}:</p>
<div class="table" tabindex="0" role="group" aria-label="${escapeHtml(`${title}, as ${fields.join(' or ')}`)}"><table>
<thead><tr><th scope="col">Value<th scope="col">What happens<th scope="col">Failure code<th scope="col">Processor</thead>
<tbody>
${rows.map(rowHtml).join('\n')}
</tbody></table></div>
</div>`;
}

/** The tables of test cards with a placeholder for the filter, which the page's script adds. */
export function testCardsHtml(): string {
  const groups = triggerGroups().map(
    ({ title, rows }) => `<section class="triggers">
<h3 id="${slug(title)}">${escapeHtml(title)} <a class="anchor" href="#${slug(title)}" aria-label="Link to this part: ${escapeHtml(title)}">#</a></h3>
${byFields(rows)
  .map((some) => tableHtml(title, some))
  .join('\n')}
</section>`,
  );
  return `<div id="trigger-filter" class="filter" hidden>
<label for="trigger-words">Find a card or trigger</label>
<input id="trigger-words" type="search" autocomplete="off" spellcheck="false">
<label for="trigger-processor">Processor</label>
<select id="trigger-processor"><option value="">both</option><option value="A">processor_a</option><option value="B">processor_b</option></select>
<p id="trigger-count" role="status"></p>
</div>
${groups.join('\n')}
`;
}

/** The tables of test cards as Markdown. */
export function testCardsMarkdown(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const tables = triggerGroups().map(({ title, rows }) =>
    [
      `### ${title}`,
      '',
      '| value | field | processor | what happens | failure code |',
      '|---|---|---|---|---|',
      ...rows.map(
        (row) =>
          `| \`${cell(row.value)}\` | ${row.fields.map((field) => `\`${field}\``).join(' or ')} | ${letters(row.processors)} | ${cell(row.outcome)} | ${row.failureCode === undefined ? '' : `\`${row.failureCode}\``} |`,
      ),
    ].join('\n'),
  );
  return tables.join('\n\n');
}
