import type { Token, Tokens } from 'marked';
import { highlight } from './highlight.ts';
import { escapeHtml } from './html.ts';

/** Languages of equivalent examples. Consecutive blocks in these languages become tabs. */
const alternatives = new Set(['sh', 'ts', 'js', 'py']);

const names: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ts: 'TypeScript',
  js: 'JavaScript',
  py: 'Python',
  json: 'JSON',
  text: 'Output',
};

export const isCode = (token: Token): token is Tokens.Code => token.type === 'code';

const languageOf = ({ lang = '' }: Tokens.Code) => lang.split(' ', 1)[0] ?? '';

/** The caption of a block. The word `answer` after the language marks a response. */
function nameOf(token: Tokens.Code): string {
  const language = languageOf(token);
  const [, answer, status] = /( answer)(?: (\d+))?$/.exec(token.lang ?? '') ?? [];
  if (answer !== undefined) return status === undefined ? 'Answer' : `Answer: HTTP ${status}`;
  if (language === 'sh' && /\bcurl\b/.test(token.text)) return 'curl';
  return names[language] ?? '';
}

function block(token: Tokens.Code): string {
  const language = languageOf(token);
  const name = nameOf(token);
  const caption = name === '' ? '' : `<p class="code-name">${escapeHtml(name)}</p>`;
  const label = name === '' ? 'Code' : `Code: ${name}`;
  return `<div class="code" data-language="${escapeHtml(language)}">${caption}<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${highlight(token.text, language)}</code></pre></div>\n`;
}

/** Groups consecutive blocks: equivalent examples in different languages form one group, every other block its own. */
function groupsOf(run: readonly Tokens.Code[]): Tokens.Code[][] {
  const groups: Tokens.Code[][] = [];
  for (const token of run) {
    const language = languageOf(token);
    const last = groups.at(-1) ?? [];
    const languages = last.map(languageOf);
    const joins =
      last.length > 0 &&
      [...languages, language].every((one) => alternatives.has(one)) &&
      !languages.includes(language);
    if (joins) last.push(token);
    else groups.push([token]);
  }
  return groups;
}

/** Renders consecutive blocks, with equivalent examples in different languages as tabs. */
export const codeHtml = (run: readonly Tokens.Code[]): string =>
  groupsOf(run)
    .map((group) => {
      const blocks = group.map(block).join('');
      return group.length > 1 ? `<div class="tabs">\n${blocks}</div>\n` : blocks;
    })
    .join('');
