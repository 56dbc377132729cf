import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../docs/guides/', import.meta.url));

/** A command of a guide with the output that the guide shows. */
export interface GuideStep {
  readonly command: string;
  /** JSON in which `…` matches anything. Undefined if the guide shows none. */
  readonly answer: string | undefined;
  /** The HTTP status shown with the response. */
  readonly status: number | undefined;
  /** Lines of text that appear sooner or later, if the output is not JSON. */
  readonly says: string | undefined;
}

export interface Guide {
  readonly name: string;
  readonly processor: 'processor_a' | 'processor_b';
  readonly steps: readonly GuideStep[];
  /** All SDK examples of the guide, which form one program. */
  readonly program: string;
  /** Code blocks in other languages, by language. */
  readonly others: Readonly<Record<string, string>>;
}

export const guideNames = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replace(/\.md$/, ''))
  .sort();

/** Reads a guide's examples in order. Skips blocks below a comment `not run: reason`. */
export function readGuide(name: string): Guide {
  const text = readFileSync(`${folder}${name}.md`, 'utf8');
  const steps: GuideStep[] = [];
  const programs: string[] = [];
  const others: Record<string, string> = {};
  const block = /(<!-- not run: .+ -->\n\n)?^```(\w*)(?: answer(?: (\d+))?)?\n([\s\S]*?)^```$/gm;
  for (const [whole, skipped, language = '', status, content = ''] of text.matchAll(block)) {
    const isAnswer = / answer/.test(whole.split('\n', 1)[0] ?? '');
    const last = steps.at(-1);
    if (skipped !== undefined) continue;
    if (isAnswer && last !== undefined) {
      const said = { status: status === undefined ? undefined : Number(status) };
      steps[steps.length - 1] = { ...last, ...said, [language === 'json' ? 'answer' : 'says']: content };
    } else if (language === 'sh') {
      steps.push({ command: content, answer: undefined, status: undefined, says: undefined });
    } else if (language === 'ts') {
      programs.push(content);
    } else {
      others[language] = content;
    }
  }
  return {
    name,
    processor: text.includes('<!-- account: processor_b -->') ? 'processor_b' : 'processor_a',
    steps,
    program: programs.join('\n'),
    others,
  };
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a text matches what a guide shows, where `…` matches anything. */
export const fitsText = (shown: string, actual: string): boolean =>
  new RegExp(`^${shown.split('…').map(escaped).join('[\\s\\S]*')}$`).test(actual);

/**
 * Returns how a value differs from what a guide shows, or undefined if it matches. Ignores members that the
 * guide leaves out.
 */
export function differs(shown: unknown, actual: unknown, path = 'answer'): string | undefined {
  if (typeof shown === 'string' && typeof actual === 'string') {
    return fitsText(shown, actual) ? undefined : `${path}: ${actual}, not ${shown}`;
  }
  if (typeof shown !== 'object' || shown === null || typeof actual !== 'object' || actual === null) {
    return shown === actual ? undefined : `${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(shown)}`;
  }
  if (Array.isArray(shown) && Array.isArray(actual)) return listDiffers(shown, actual, path);
  const members = actual as Readonly<Record<string, unknown>>;
  return Object.entries(shown)
    .map(([name, value]) => differs(value, members[name], `${path}.${name}`))
    .find((difference) => difference !== undefined);
}

/** Compares lists. A list that is shown with `…` at its end may continue. */
function listDiffers(
  shown: readonly unknown[],
  actual: readonly unknown[],
  path: string,
): string | undefined {
  const goesOn = shown.at(-1) === '…';
  const items = goesOn ? shown.slice(0, -1) : shown;
  if (goesOn ? actual.length < items.length : actual.length !== items.length) {
    return `${path} has ${actual.length} items, not ${items.length}`;
  }
  return items
    .map((item, index) => differs(item, actual[index], `${path}[${index}]`))
    .find((difference) => difference !== undefined);
}

/** Returns the last JSON object that a command printed on a single line. */
export function lastObject(printed: string): Record<string, unknown> | undefined {
  const line = printed.split('\n').findLast((one) => one.startsWith('{') && one.trimEnd().endsWith('}'));
  return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>);
}
