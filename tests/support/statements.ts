import { placeOf, productionSources, read, withoutComments } from './sources.ts';

/** A literal of the server's code that is SQL: a statement, or a fragment that others are made of. */
export interface SqlLiteral {
  readonly path: string;
  /** With what is inserted into it, other literals included. */
  readonly sql: string;
}

/** Where the template ends that begins there, the templates in its insertions included. */
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

/** The strings and templates of a file, each template whole. */
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

/** The server's production code by its path, without comments. */
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
