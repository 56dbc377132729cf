import { placeOf, productionSources, read, withoutComments } from './sources.ts';

/** A literal in the server's code that contains SQL: a statement, or a fragment of statements. */
export interface SqlLiteral {
  readonly path: string;
  /** Includes its insertions, even other literals. */
  readonly sql: string;
}

/** Returns where the template literal that begins at `begin` ends, skipping templates in its insertions. */
function endOfTemplate(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text[at] !== '`') {
    if (text.startsWith('${', at)) at = endOfInsertion(text, at + 2);
    else at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

function endOfInsertion(text: string, begin: number): number {
  let depth = 1;
  let at = begin;
  while (depth > 0 && at < text.length) {
    if (text[at] === '`') {
      at = endOfTemplate(text, at);
      continue;
    }
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    at += 1;
  }
  return at;
}

/** Returns the strings and template literals of a file. A template includes its nested ones. */
function literalsOf(text: string): string[] {
  const literals: string[] = [];
  const begins = /`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  for (let found = begins.exec(text); found !== null; found = begins.exec(text)) {
    const end = found[0] === '`' ? endOfTemplate(text, found.index) : begins.lastIndex;
    literals.push(text.slice(found.index, end));
    begins.lastIndex = end;
  }
  return literals;
}

/** The server's production code by path, without comments. */
export const serverCode: ReadonlyMap<string, string> = new Map(
  productionSources
    .filter((path) => placeOf(path).package === 'server')
    .map((path) => [path, withoutComments(read(path))]),
);

export const sqlLiterals: readonly SqlLiteral[] = [...serverCode].flatMap(([path, text]) =>
  literalsOf(text)
    .filter((sql) => /\b(select|insert|update|delete|with)\b/.test(sql) && /\b(from|into|update)\b/.test(sql))
    .map((sql) => ({ path, sql })),
);
