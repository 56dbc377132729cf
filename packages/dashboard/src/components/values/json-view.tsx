import { Fragment, type ReactNode } from 'react';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { CopyButton } from './copy-button.tsx';

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** One line of indented JSON, highlighted: property names, strings and other values. */
function coloured(line: string): ReactNode[] {
  const tokens: ReactNode[] = [];
  let end = 0;
  for (const match of line.matchAll(token)) {
    const [all, text, colon] = match;
    tokens.push(line.slice(end, match.index));
    const look = text === undefined ? 'text-info' : colon === undefined ? 'text-good' : 'text-text';
    tokens.push(
      <span key={match.index} className={look}>
        {all}
      </span>,
    );
    end = match.index + all.length;
  }
  return [...tokens, line.slice(end)];
}

/** A value as indented, highlighted JSON with a copy button. A string that holds JSON is parsed first. */
export function JsonView({ label, value }: { readonly label: string; readonly value: unknown }) {
  const text = textOf(value);
  return (
    <div className="relative overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="absolute top-1.5 right-2.5 rounded-md bg-sunken">
        <CopyButton text={text} what={label} />
      </div>
      <ScrollRegion label={label} className="max-h-[32rem] overflow-auto">
        <pre className="p-3 pr-12 font-mono text-sm leading-5">
          {numbered(text).map(({ number, line }) => (
            <Fragment key={number}>
              {coloured(line)}
              {'\n'}
            </Fragment>
          ))}
        </pre>
      </ScrollRegion>
    </div>
  );
}

const numbered = (text: string) => text.split('\n').map((line, index) => ({ number: index + 1, line }));

function textOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
