import { escapeHtml } from './html.ts';

/** The kinds of tokens of a language. Each kind is named by the class that sets its colour, and has a pattern. */
type Grammar = readonly (readonly [kind: 'c' | 's' | 'k' | 'n' | 'p', pattern: string])[];

const quotedText = String.raw`"(?:\\.|[^"\\])*"`;

const json: Grammar = [
  ['p', String.raw`${quotedText}(?=\s*:)`],
  ['s', quotedText],
  ['n', String.raw`-?\b\d[\d.]*\b`],
  ['k', String.raw`\b(?:true|false|null)\b`],
];

const shell: Grammar = [
  ['c', String.raw`(?<=^|\s)#[^\n]*`],
  ['s', `'[^']*'|${quotedText}`],
  ['p', String.raw`\$\w+|\$(?=\()`],
  [
    'k',
    String.raw`(?<=^|\n|[|;&(]\s?|\$\()(?:curl|npm|node|export|cat|tee|grep|git|cd|(?:\./)?till|sleep)\b`,
  ],
  ['n', String.raw`(?<=\s)--?[a-zA-Z][\w-]*`],
];

const words =
  'import|export|from|const|let|function|return|if|else|for|of|await|async|new|try|catch|throw|switch|case|break|default|type|interface|instanceof|typeof|true|false|null|undefined|def|in|as';

const program: Grammar = [
  ['c', String.raw`\/\/[^\n]*|(?<=^|\s)# [^\n]*`],
  ['s', [String.raw`'(?:\\.|[^'\\\n])*'`, quotedText, '`(?:\\\\.|[^`\\\\])*`'].join('|')],
  ['k', String.raw`\b(?:${words})\b`],
  ['n', String.raw`\b\d[\d_.]*\b`],
];

const grammars: Readonly<Record<string, Grammar>> = {
  json,
  sh: shell,
  ts: program,
  js: program,
  py: program,
};

/** Renders code as HTML. If the language is known, its tokens are marked for colouring. */
export function highlight(code: string, language: string): string {
  const grammar = grammars[language];
  if (grammar === undefined) return escapeHtml(code);
  const pattern = new RegExp(grammar.map(([, source]) => `(${source})`).join('|'), 'g');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = grammar[match.slice(1).findIndex((group) => group !== undefined)]?.[0] ?? 'c';
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
